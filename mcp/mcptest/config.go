package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// T has the methods of *testing.T that this package calls, so that its own tests can watch it
// fail. After Fatalf a *testing.T does not return; functions that are given another T return
// zero values.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
	Context() context.Context
	TempDir() string
}

// A Config configures both ends of a connection. The zero Config is a server named test and a
// local client with all scopes. A Config may be used for several connections.
type Config struct {
	// Server is the server's configuration.
	Server mcp.Config
	// Principal identifies the client; without an ID it is [host.Local].
	Principal host.Principal
	// Capabilities are the client's capabilities as JSON; nil means {}.
	Capabilities json.RawMessage
	// Answer answers the server's requests; nil refuses them.
	Answer func(method string, params json.RawMessage) (any, error)
}

// newServer makes the server of tables that pass the checks of [mcp.Check], which a program
// makes at its start.
func newServer(t T, cfg mcp.Config, tables []*mcp.Table) *mcp.Server {
	t.Helper()
	if cfg.Name == "" {
		cfg.Name, cfg.Version = "test", "1.0.0"
	}
	server, err := mcp.New(cfg, tables...)
	if err = errors.Join(err, mcp.Check(tables...)); err != nil {
		t.Fatalf("the tables cannot be served: %v", err)
	}
	return server
}

// principal returns the identity of the client.
func (cfg Config) principal() host.Principal {
	if cfg.Principal.ID == "" {
		return host.Local()
	}
	return cfg.Principal
}

// serve serves the connection until its input ends, as package stdio does: then running calls
// are cancelled and the connection's state is dropped.
func serve(ctx context.Context, in io.Reader, out io.Writer, server *mcp.Server, principal host.Principal) {
	conn := jsonrpc.NewConn(in, out, jsonrpc.Config{})
	handler := server.Bind(host.Caller{Principal: principal, Connection: true, Send: conn}, conn.Cancel)
	_ = conn.Serve(ctx, handler) // calls in flight learn of the end
	handler.End(context.WithoutCancel(ctx))
}

// handler answers the server's requests; it is nil for a client that refuses them.
func (cfg Config) handler() jsonrpc.Handler {
	if cfg.Answer == nil {
		return nil
	}
	return jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
		answer, err := cfg.Answer(req.Method, append(json.RawMessage(nil), req.Params...))
		if err != nil {
			return dst, err
		}
		raw, err := json.Marshal(answer)
		return append(dst, raw...), err
	})
}
