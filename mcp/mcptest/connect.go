package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

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
