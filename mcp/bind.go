package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/triptych-mcp/triptych/mcp/internal/rawschema"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// A Binding joins a handler to its schemas. [Typed] and [Raw] make one. The schemas
// are made when the first client asks for them, once.
type Binding struct {
	forms  func() (*forms, error) // made by the first call; from any goroutine
	invoke func(ctx context.Context, call *Call, args []byte) (Result, error)
	err    error // why the tool cannot be served, reported by New
}

// A texter is an answer that knows its text.
type texter interface{ Text() string }

// A carrier is a texter that has more content than its text.
type carrier interface{ Content() []Content }

// Typed binds a handler whose arguments are the struct In; the schema, the
// decoding and the argument errors all come from it (package schema).
//
// Out is a string, which is the text of the answer; or a type with a method
// Text() string, which then is also the structured content and whose type is
// the output schema, and may have a method Content() []Content for what follows
// the text; or *[Result].
//
// Types that have no schema are reported by [Check], and to who calls the tool.
func Typed[In, Out any](handler func(ctx context.Context, call *Call, in In) (Out, error)) Binding {
	answer, structured, err := answerOf[Out]()
	if err != nil {
		return Binding{err: err}
	}
	forms := sync.OnceValues(func() (*forms, error) { return formsOf(reflect.TypeFor[In](), structured) })
	return Binding{
		forms: forms,
		invoke: func(ctx context.Context, call *Call, args []byte) (Result, error) {
			f, err := forms()
			if err != nil {
				return Result{}, err
			}
			var v In
			if err := f.in.Decode(args, &v); err != nil {
				return Result{}, err
			}
			out, err := handler(ctx, call, v)
			if err != nil {
				return Result{}, err
			}
			return answer(out), nil
		},
	}
}

// answerOf returns how an Out becomes a Result, and what the structured answer
// is, nil where there is none.
func answerOf[Out any]() (func(Out) Result, reflect.Type, error) {
	var zero Out
	switch any(zero).(type) {
	case string:
		return func(o Out) Result { return textResult(any(o).(string)) }, nil, nil
	case *Result:
		return func(o Out) Result { return *any(o).(*Result) }, nil, nil
	case texter:
		return structuredResult[Out], reflect.TypeFor[Out](), nil
	}
	return nil, nil, fmt.Errorf("answer type %T is neither a string nor a *mcp.Result and has no Text method", zero)
}

// structuredResult is the Result of an answer that knows its text.
func structuredResult[Out any](o Out) Result {
	result := textResult(any(o).(texter).Text())
	result.Structured = o
	if c, ok := any(o).(carrier); ok {
		if more := c.Content(); len(more) > 0 {
			result.Content, result.plain = append([]Content{Text(result.text)}, more...), false
		}
	}
	return result
}

// Raw binds a handler that takes its arguments as JSON, for tools whose
// arguments cannot be a struct. The schema is published, not enforced.
func Raw(inputSchema string, handler func(ctx context.Context, call *Call, args []byte) (*Result, error)) Binding {
	if !json.Valid([]byte(inputSchema)) {
		return Binding{err: errors.New("input schema is not JSON")}
	}
	input := bytes.TrimSpace([]byte(inputSchema))
	if !isObject(input) {
		return Binding{err: errors.New("input schema is not an object")}
	}
	return Binding{
		forms: sync.OnceValues(func() (*forms, error) { return newForms(input), nil }),
		invoke: func(ctx context.Context, call *Call, args []byte) (Result, error) {
			result, err := handler(ctx, call, args)
			if err != nil {
				return Result{}, err
			}
			return *result, nil
		},
	}
}

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
