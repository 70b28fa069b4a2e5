package jsonrpc

import (
	"context"
	"encoding/json"
)

// A MethodMap is a [Handler] that runs the function registered under the name of
// the request's method. Other methods are answered with -32601. It must not be
// changed while it is served.
//
//	handler := jsonrpc.MethodMap{
//		"add":  jsonrpc.Method(func(_ context.Context, terms []int) (int, error) { … }),
//		"ping": jsonrpc.Method(func(context.Context, struct{}) (struct{}, error) { … }),
//	}
type MethodMap map[string]HandlerFunc

// Handle implements [Handler].
func (m MethodMap) Handle(ctx context.Context, req *Request, dst []byte) ([]byte, error) {
	f, ok := m[req.Method]
	if !ok {
		return dst, Errorf(CodeMethodNotFound, "Method not found: %s", req.Method)
	}
	return f(ctx, req, dst)
}

// Method returns a handler that decodes params into a P with encoding/json, calls
// f and encodes its result. Absent params leave the zero P. Params that do not
// decode are answered with -32602; for positional params P is a slice or an
// array. An error of f is answered as [ErrorOf] says: return an [*Error] to
// choose code and message.
func Method[P, R any](f func(ctx context.Context, params P) (R, error)) HandlerFunc {
	return func(ctx context.Context, req *Request, dst []byte) ([]byte, error) {
		var params P
		if req.Params != nil {
			if err := json.Unmarshal(req.Params, &params); err != nil {
				return dst, Errorf(CodeInvalidParams, "Invalid params").WithDetails("%v", err)
			}
		}
		result, err := f(ctx, params)
		if err != nil {
			return dst, err
		}
		raw, err := json.Marshal(result)
		if err != nil {
			return dst, err
		}
		return append(dst, raw...), nil
	}
}
