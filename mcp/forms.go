package mcp

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/triptych-mcp/triptych/mcp/internal/rawschema"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// Forms are the schemas of a tool, and what they say of it.
type forms struct {
	input      []byte // JSON Schema of the arguments
	documented []byte // the same without extensions and booleans
	plain      []byte // the same without booleans, for revisions before they came
	output     []byte // JSON Schema of the structured answer, nil when there is none
	in         *schema.Schema
	headers    []rawschema.HeaderPath // arguments that HTTP headers repeat
}

// formsOf makes the forms of a tool with the arguments in and the structured
// answer out, nil when it has none.
func formsOf(in, out reflect.Type) (*forms, error) {
	arguments, err := schema.Of(in)
	if err != nil {
		return nil, err
	}
	f := newForms(arguments.JSON())
	f.in = arguments
	f.documented = rawschema.WithoutBooleans(arguments.Documented())
	if out != nil {
		answer, err := schema.Of(out)
		if err != nil {
			return nil, fmt.Errorf("answer: %w", err)
		}
		f.output = answer.JSON()
	}
	return f, nil
}

// newForms returns the forms of an input schema. It reads the schema as text, once,
// when a tool is listed first.
func newForms(input []byte) *forms {
	plain := rawschema.WithoutBooleans(input)
	return &forms{input: input, documented: plain, plain: plain, headers: rawschema.HeaderPaths(input)}
}

// Check reports every mistake in tables: those that [New] reports, and types
// that have no schema. A server makes the schema of a tool when the first client
// asks for it, for that is most of the work of starting; tests of a family check
// its table.
func Check(tables ...*Table) error {
	errs := []error{check(tables)}
	for _, t := range tables {
		for i := range t.Tools {
			if tool := &t.Tools[i]; tool.Call.forms != nil {
				_, err := tool.forms()
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// forms returns the tool's schemas. The first call makes them.
func (t *Tool) forms() (*forms, error) {
	f, err := t.Call.forms()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	return f, nil
}
