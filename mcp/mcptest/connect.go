package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

// T has the methods of *testing.T that this package calls.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
	Context() context.Context
	TempDir() string
}

// A Config configures both ends of a connection. The zero Config is a server named
// test and a local client with all scopes.
type Config struct {
	// Server is the server's configuration.
	Server mcp.Config
	// Principal identifies the client; without an ID it is [mcp.Local].
	Principal mcp.Principal
	// Capabilities are the client's capabilities as JSON; nil means {}.
	Capabilities json.RawMessage
	// Answer answers the server's requests; nil refuses them.
	Answer func(method string, params json.RawMessage) (any, error)
}

// maxNotifications limits the notifications buffered for [Client.Notification];
// further ones are dropped.
const maxNotifications = 1000

// A Client is connected to a server in this process. Its methods fail the test when
// the connection fails or an answer is malformed.
type Client struct {
	t            T
	rpc          *jsonrpc.Client
	capabilities json.RawMessage
	heard        chan Notification

	mu    sync.Mutex
	claim *mcp.Revision // the revision that each request claims; nil for none
}

// A Notification is a notification from the server.
type Notification struct {
	Method string
	Params json.RawMessage
}

// Connect serves the tables until the test ends and returns a client. Until
// [Client.Initialize] is called, the client uses the baseline profile.
func Connect(t T, tables ...*mcp.Table) *Client {
	t.Helper()
	return Config{}.Connect(t, tables...)
}

// Connect is [Connect] with a configuration.
func (cfg Config) Connect(t T, tables ...*mcp.Table) *Client {
	t.Helper()
	server := newServer(t, cfg.Server, tables)
	here, there := net.Pipe()
	c := &Client{t: t, capabilities: cfg.Capabilities, heard: make(chan Notification, maxNotifications)}
	if c.capabilities == nil {
		c.capabilities = json.RawMessage("{}")
	}
	// The connection ends by closing it: t.Context is done before cleanups run.
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		serve(ctx, there, there, server, cfg.principal())
		_ = there.Close() // a pipe's never fails
	})
	running.Go(func() { _ = server.Run(ctx) }) // a failed watch sends nothing
	c.rpc = jsonrpc.NewClient(here, here, jsonrpc.ClientConfig{Notified: c.note, Handler: cfg.handler()})
	t.Cleanup(func() {
		err := here.Close()
		c.rpc.Close()
		stop()
		running.Wait()
		if err := errors.Join(err, server.Close()); err != nil {
			t.Errorf("closing the connection: %v", err)
		}
	})
	return c
}

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
func (cfg Config) principal() mcp.Principal {
	if cfg.Principal.ID == "" {
		return mcp.Local()
	}
	return cfg.Principal
}

// serve serves the connection until its input ends.
func serve(ctx context.Context, in io.Reader, out io.Writer, server *mcp.Server, principal mcp.Principal) {
	conn := jsonrpc.NewConn(in, out, jsonrpc.Config{})
	handler := server.Bind(mcp.Caller{Principal: principal, Connection: true, Send: conn}, conn.Cancel)
	_ = conn.Serve(ctx, handler) // calls in flight learn of the end
	handler.End(context.WithoutCancel(ctx))
}

// handler answers the server's requests.
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

func (c *Client) note(method string, params json.RawMessage) {
	select {
	case c.heard <- Notification{method, params}:
	default: // the buffer is full
	}
}

// Received waits for the next notification. The test fails when none comes before
// before the end of the test.
func (c *Client) Notification() Notification {
	c.t.Helper()
	select {
	case n := <-c.heard:
		return n
	case <-c.t.Context().Done():
		c.t.Fatalf("no notification arrived")
		return Notification{}
	}
}
