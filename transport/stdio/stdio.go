// Package stdio serves one client over standard input and output, or any other
// pair of streams that carry a message a line.
//
// The user who started the process is trusted: the caller is [host.Local]. Nothing
// but messages is written to the output.
//
// # Concurrency
//
// [Serve] blocks; all that it starts has ended when it returns, except a read
// or write that hangs on a stream without deadlines.
package stdio

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// farewell limits how long it may take to tell the client about the end.
const farewell = time.Second

// Option changes how a connection is served.
type Option func(*jsonrpc.Config)

// Limits sets the bounds of the connection.
func Limits(cfg jsonrpc.Config) Option {
	return func(c *jsonrpc.Config) { *c = cfg }
}

// Serve answers what comes in until the input ends, then it finishes what is
// in flight and returns nil; calls that might wait for long see by
// [mcp.Call.InputClosed] that the client does not want them to. When ctx is done it does the same in
// bounded time and returns ctx's cause. It returns the error of a write that
// fails.
func Serve(ctx context.Context, in io.Reader, out io.Writer, server *mcp.Server, options ...Option) error {
	var cfg jsonrpc.Config
	for _, set := range options {
		set(&cfg)
	}
	if f, ok := in.(*os.File); ok {
		in = &pipe{File: f}
	}
	if f, ok := out.(*os.File); ok {
		out = &pipe{File: f}
	}
	conn := jsonrpc.NewConn(in, out, cfg)
	handler := server.Bind(host.Caller{Principal: host.Local(), Connection: true, Send: conn}, conn.Cancel)
	serving, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		last, stop := context.WithTimeout(serving, farewell)
		defer stop()
		handler.CloseListens(last)
		cancel(context.Cause(ctx))
	})()
	err := conn.Serve(serving, handler)
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer stop()
	handler.End(last)
	return err
}
