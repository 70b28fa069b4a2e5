package jsonrpc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

type span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

var mapped = jsonrpc.MethodMap{
	"length": jsonrpc.Method(func(_ context.Context, s span) (int, error) {
		if s.To < s.From {
			return 0, jsonrpc.Errorf(-7, "to is before from")
		}
		return s.To - s.From, nil
	}),
	"sum": jsonrpc.Method(func(_ context.Context, terms []int) (sum int, _ error) {
		for _, t := range terms {
			sum += t
		}
		return sum, nil
	}),
	"secret": jsonrpc.Method(func(context.Context, struct{}) (struct{}, error) {
		return struct{}{}, errors.New("the password is 1234")
	}),
	"odd": jsonrpc.Method(func(context.Context, struct{}) (func(), error) { return func() {}, nil }),
}

// TestMethodMap has the codes of the specification, section 5.1.
func TestMethodMap(t *testing.T) {
	for _, tt := range []struct{ method, params, want string }{
		{"length", `{"from":2,"to":5}`, `"result":3`},
		{"length", ``, `"result":0`},
		{"length", `{"from":5,"to":2}`, `"error":{"code":-7,"message":"to is before from"}`},
		{"sum", `[1,2,3]`, `"result":6`},
		{"none", ``, `"error":{"code":-32601,"message":"Method not found: none"}`},
		{"secret", ``, `"error":{"code":-32603,"message":"Internal error"}`},
		{"odd", ``, `"error":{"code":-32603,"message":"Internal error"}`},
	} {
		req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: tt.method}
		if tt.params != "" {
			req.Params = []byte(tt.params)
		}
		want := `{"jsonrpc":"2.0","id":1,` + tt.want + `}`
		if got := string(jsonrpc.Answer(t.Context(), mapped, &req, nil)); got != want {
			t.Errorf("%s %s: got %s, want %s", tt.method, tt.params, got, want)
		}
	}
	req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "sum", Params: []byte(`{"a":1}`)}
	_, err := mapped.Handle(t.Context(), &req, nil)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || rpc.Code != jsonrpc.CodeInvalidParams || rpc.Data == nil {
		t.Errorf("params of the wrong form: %v", err)
	}
}
