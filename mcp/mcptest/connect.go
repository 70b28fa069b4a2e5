package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/client"
)

// maxNotifications limits the notifications buffered for [Client.Notification];
// further ones are dropped.
const maxNotifications = 1000

// A Client is connected to a server in this process. Its methods fail the test when the
// connection fails or an answer is malformed, so they need no error results; what the server
// refuses is a result. It may be used by several goroutines.
type Client struct {
	t      T
	client *client.Client
	heard  chan Notification
}

// A Notification is a notification from the server.
type Notification struct {
	Method string
	Params json.RawMessage
}

// Connect serves the tables until the test ends and returns a client. Until
// [Client.Initialize] is called, the client uses the baseline profile. The tables are checked
// as a program does at its start; what is wrong with them fails the test.
func Connect(t T, tables ...*mcp.Table) *Client {
	t.Helper()
	return Config{}.Connect(t, tables...)
}

// Connect is [Connect] with a configuration.
func (cfg Config) Connect(t T, tables ...*mcp.Table) *Client {
	t.Helper()
	server := newServer(t, cfg.Server, tables)
	here, there := net.Pipe()
	c := &Client{t: t, heard: make(chan Notification, maxNotifications)}
	// The connection ends by closing it: t.Context is done before cleanups run.
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		serve(ctx, there, there, server, cfg.principal())
		_ = there.Close() // a pipe's never fails
	})
	running.Go(func() { _ = server.Run(ctx) }) // a failed watch sends nothing
	rpc := jsonrpc.NewClient(here, here, jsonrpc.ClientConfig{Notified: c.note, Handler: cfg.handler()})
	asks := client.Config{Name: "mcptest", Version: "1.0.0"}
	if cfg.Capabilities != nil {
		asks.Capabilities = cfg.Capabilities
	}
	c.client = client.New(rpc, asks)
	t.Cleanup(func() {
		err := here.Close()
		rpc.Close()
		stop()
		running.Wait()
		if err := errors.Join(err, server.Close()); err != nil {
			t.Errorf("closing the connection: %v", err)
		}
	})
	return c
}

// note buffers a notification for [Client.Notification]. It must not block: it is called by
// the reader of the connection.
func (c *Client) note(method string, params json.RawMessage) {
	select {
	case c.heard <- Notification{method, params}:
	default: // the buffer is full
	}
}

// Notification waits for the next notification that was not returned yet. The test fails when
// none comes before its end.
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
