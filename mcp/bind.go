package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/triptych-mcp/triptych/mcp/schema"
)

// A Binding joins a handler to its schemas. [Typed] and [Raw] make one.
type Binding struct {
	input  []byte // JSON Schema of the arguments
	plain  []byte // the same without booleans, for revisions before they came
	output []byte // JSON Schema of the structured answer, nil when there is none
	in     *schema.Schema
	invoke func(ctx context.Context, call *Call, args []byte) (*Result, error)
	err    error // why the types cannot be served, reported by New
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
func Typed[In, Out any](handler func(ctx context.Context, call *Call, in In) (Out, error)) Binding {
	in, err := schema.For[In]()
	if err != nil {
		return Binding{err: err}
	}
	answer, output, err := answerOf[Out]()
	if err != nil {
		return Binding{err: err}
	}
	return Binding{
		in: in, input: in.JSON(), plain: withoutBooleans(in.JSON()), output: output,
		invoke: func(ctx context.Context, call *Call, args []byte) (*Result, error) {
			var v In
			if err := in.Decode(args, &v); err != nil {
				return nil, err
			}
			out, err := handler(ctx, call, v)
			if err != nil {
				return nil, err
			}
			return answer(out), nil
		},
	}
}

// answerOf returns how an Out becomes a Result, and its output schema.
func answerOf[Out any]() (func(Out) *Result, []byte, error) {
	var zero Out
	switch any(zero).(type) {
	case string:
		return func(o Out) *Result { return textResult(any(o).(string)) }, nil, nil
	case *Result:
		return func(o Out) *Result { return any(o).(*Result) }, nil, nil
	case texter:
		out, err := schema.Of(reflect.TypeFor[Out]())
		if err != nil {
			return nil, nil, fmt.Errorf("answer: %w", err)
		}
		return func(o Out) *Result {
			result := &Result{Content: []Content{Text(any(o).(texter).Text())}, Structured: o}
			if more, ok := any(o).(carrier); ok {
				result.Content = append(result.Content, more.Content()...)
			}
			return result
		}, out.JSON(), nil
	}
	return nil, nil, fmt.Errorf("answer type %T is neither a string nor a *mcp.Result and has no Text method", zero)
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
	return Binding{input: input, plain: withoutBooleans(input), invoke: handler}
}
