package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/triptych-mcp/triptych/mcp/internal/params"
	"github.com/triptych-mcp/triptych/mcp/internal/rawschema"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// A Binding joins a handler with its schemas. [Typed] and [Raw] return one. The
// schemas are made once, when the first client requests them.
type Binding struct {
	forms  func() (*forms, error) // made by the first call; may be called concurrently
	invoke func(ctx context.Context, call *Call, args []byte) (Result, error)
	err    error // reason why the tool cannot be served, reported by New
}

// A texter is an answer that has a text form.
type texter interface{ Text() string }

// A carrier is a texter with further content.
type carrier interface{ Content() []Content }

// Typed binds a handler whose arguments are the struct In. The schema, the
// decoding and the argument errors all derive from In (package schema).
//
// Out is a string, which is the text of the answer; or *[Result]; or a struct, which is
// the structured content and whose type gives the output schema. The text beside it is
// what its method Text() string returns, or else its JSON (server/tools, "Structured
// Content"); a method Content() []Content adds further items. Clients that
// name no revision, or one before 2025-06-18, get these without the structured content.
//
// Types without a schema are reported by [Check], and by calls of the tool.
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
			return answer(out)
		},
	}
}

// answerOf returns the function that converts an Out to a Result, and the type of
// the structured answer, or nil if there is none.
func answerOf[Out any]() (func(Out) (Result, error), reflect.Type, error) {
	var zero Out
	t := reflect.TypeFor[Out]()
	switch any(zero).(type) {
	case string:
		return func(o Out) (Result, error) { return textResult(any(o).(string)), nil }, nil, nil
	case *Result:
		return func(o Out) (Result, error) { return *any(o).(*Result), nil }, nil, nil
	case texter:
		return func(o Out) (Result, error) { return structuredResult(o, any(o).(texter).Text()), nil }, t, nil
	}
	if t.Kind() == reflect.Struct || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		return func(o Out) (Result, error) {
			text, err := marshal(o)
			return structuredResult(o, string(text)), err
		}, t, nil
	}
	return nil, nil, fmt.Errorf("answer type %T is neither a string, a struct nor a *mcp.Result and has no Text method", zero)
}

// structuredResult returns the Result of an answer with its text.
func structuredResult[Out any](o Out, text string) Result {
	result := textResult(text)
	result.Structured = o
	if c, ok := any(o).(carrier); ok {
		if more := c.Content(); len(more) > 0 {
			result.Content, result.plain = append([]Content{Text(text)}, more...), false
		}
	}
	return result
}

// Raw binds a handler that gets its arguments as JSON, for tools whose arguments
// cannot be a struct. The schema is published but not enforced.
func Raw(inputSchema string, handler func(ctx context.Context, call *Call, args []byte) (*Result, error)) Binding {
	if !json.Valid([]byte(inputSchema)) {
		return Binding{err: errors.New("input schema is not JSON")}
	}
	input := bytes.TrimSpace([]byte(inputSchema))
	if !params.IsObject(input) {
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

// forms holds the schemas of a tool and what derives from them.
type forms struct {
	input      []byte // JSON Schema of the arguments
	documented []byte // input without extensions and boolean schemas
	plain      []byte // input without boolean schemas, for revisions that lack them
	complete   []byte // input with arguments that are not listed
	output     []byte // JSON Schema of the structured answer; nil if there is none
	in         *schema.Schema
	headers    []rawschema.HeaderPath // arguments that HTTP headers mirror
}

// formsOf returns the forms of a tool with arguments of type in and structured
// answers of type out, which is nil if there are none.
func formsOf(in, out reflect.Type) (*forms, error) {
	arguments, err := schema.Of(in)
	if err != nil {
		return nil, err
	}
	f := newForms(arguments.JSON())
	f.in = arguments
	f.documented, f.complete = rawschema.WithoutBooleans(arguments.Documented()), arguments.Complete()
	if out != nil {
		answer, err := schema.Of(out)
		if err != nil {
			return nil, fmt.Errorf("answer: %w", err)
		}
		f.output = answer.JSON()
	}
	return f, nil
}

// newForms returns the forms of an input schema. It parses the schema once, when
// the tool is first listed.
func newForms(input []byte) *forms {
	plain := rawschema.WithoutBooleans(input)
	return &forms{input: input, documented: plain, plain: plain, complete: input, headers: rawschema.HeaderPaths(input)}
}

// Check reports all mistakes in tables: those that [New] reports, and types
// without a schema. A server makes the schema of a tool on the first request for
// it, since that is most of the work of starting; so the tests of a family should
// call Check.
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

// Arguments returns the JSON Schema of all arguments that the tool takes, also those that
// tools/list leaves out.
func (t *Tool) Arguments() ([]byte, error) {
	f, err := t.forms()
	if err != nil {
		return nil, err
	}
	return f.complete, nil
}

// forms returns the tool's schemas. The first call makes them.
func (t *Tool) forms() (*forms, error) {
	f, err := t.Call.forms()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	return f, nil
}
