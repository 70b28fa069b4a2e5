package main

import (
	"context"
	"errors"
	"net"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A wireCall calls the method echo of a server at the other end of a net.Pipe.
type wireCall func(params []byte) error

// ownPipe connects two connections of ours.
func ownPipe() (call wireCall, stop func()) {
	here, there := net.Pipe()
	client, server := jsonrpc.NewConn(here, here, jsonrpc.Config{}), jsonrpc.NewConn(there, there, jsonrpc.Config{})
	echo := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
		return append(dst, req.Params...), nil
	})
	var done sync.WaitGroup
	for _, conn := range []*jsonrpc.Conn{client, server} {
		done.Go(func() { _ = conn.Serve(context.Background(), echo) }) // ends when the pipe is closed
	}
	call = func(params []byte) error {
		_, err := client.Call(context.Background(), "echo", params)
		return err
	}
	return call, func() {
		_, _ = here.Close(), there.Close() // a pipe closes
		done.Wait()
	}
}

// lspPipe connects two connections of go.lsp.dev/jsonrpc2.
func lspPipe() (call wireCall, stop func()) {
	here, there := net.Pipe()
	client, server := jsonrpc2.NewConn(jsonrpc2.NewNDJSONStream(here)), jsonrpc2.NewConn(jsonrpc2.NewNDJSONStream(there))
	echo := func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		if len(req.Params()) == 0 {
			return nil, nil
		}
		return req.Params(), nil
	}
	client.Go(context.Background(), jsonrpc2.MethodNotFoundHandler)
	server.Go(context.Background(), echo)
	call = func(params []byte) error {
		if params == nil {
			_, err := client.Call(context.Background(), "echo", nil, nil)
			return err
		}
		var result jsonrpc2.RawMessage
		_, err := client.Call(context.Background(), "echo", jsonrpc2.RawMessage(params), &result)
		return err
	}
	return call, func() { _, _ = client.Close(), server.Close() }
}

// together makes calls, so many of them at a time.
func together(call wireCall, atOnce, each int) func() error {
	return func() error {
		errs := make([]error, atOnce)
		var done sync.WaitGroup
		for i := range atOnce {
			done.Go(func() {
				for range each {
					errs[i] = errors.Join(errs[i], call(nil))
				}
			})
		}
		done.Wait()
		return errors.Join(errs...)
	}
}

const wirePeer = "go.lsp.dev/jsonrpc2"

// wire measures the JSON-RPC engine beside one that was written for few
// allocations, in the cases of that one's own benchmark.
func (b *bench) wire(context.Context) error {
	own, stopOwn := ownPipe()
	defer stopOwn()
	lsp, stopLSP := lspPipe()
	defer stopLSP()
	large := append(append([]byte(`["`), make([]byte, 4096)...), `"]`...)
	for i := range large[2 : len(large)-2] {
		large[2+i] = 'x'
	}
	text := []byte(`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"text":"0123456789"}}}`)
	for _, pair := range []struct {
		what string
		goal float64
		ours func() error
		lsp  func() error
	}{
		{"round trip over net.Pipe", 0.9, func() error { return own(nil) }, func() error { return lsp(nil) }},
		{"the same with 4 KiB", 0, func() error { return own(large) }, func() error { return lsp(large) }},
		{"1,024 calls, 64 in flight", 0.33, together(own, 64, 16), together(lsp, 64, 16)},
		{"decode 110 bytes (theirs checks no payload)", 1, func() error {
			if _, err := jsonrpc.Decode(text, jsonrpc.Config{}); err != nil {
				return err
			}
			return nil
		}, func() error { _, err := jsonrpc2.DecodeMessage(text); return err }},
	} {
		readings, err := race(b.pace(), op{ours, pair.ours}, op{wirePeer, pair.lsp})
		if err != nil {
			return err
		}
		b.addTime("wire", pair.what, pair.goal, &readings[0], &readings[1])
	}
	return nil
}
