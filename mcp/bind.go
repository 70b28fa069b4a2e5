package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
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
