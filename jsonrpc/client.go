package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// A ClientConfig says what a [Client] does with what the server sends of its
// own accord.
type ClientConfig struct {
	Config
	// Notified is called for each notification, in order. It must not block.
	Notified func(method string, params json.RawMessage)
	// Handler answers the server's requests; nil refuses them.
	Handler Handler
	// Canceled is called with the id of a call whose context has ended before its answer, which
	// is not awaited any more. It may tell the server.
	Canceled func(id int64)
}

// A Client calls methods of a server over a stream of lines. Calls do not wait for
// one another, and answers may come in any order. Its methods may be called from
// any goroutine; Call must not be called from Notified, which holds up its answer.
type Client struct {
	conn *Conn
	stop context.CancelFunc
	done chan struct{}
}

// NewClient returns a client that reads from in and writes to out. Its
// goroutine ends when in ends or by [Client.Close].
func NewClient(in io.Reader, out io.Writer, cfg ClientConfig) *Client {
	ctx, stop := context.WithCancel(context.Background())
	c := &Client{conn: NewConn(in, out, cfg.Config), stop: stop, done: make(chan struct{})}
	c.conn.canceled = cfg.Canceled
	go func() {
		defer close(c.done)
		_ = c.conn.Serve(ctx, &clientHandler{cfg}) // calls in flight learn of the end
	}()
	return c
}

// Call sends a request with params as JSON (nil for none) and returns the result, or the
// server's error as an [*Error]. It returns [ErrClosed] when the stream ends before the
// answer.
func (c *Client) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	raw, err := encodeParams(params)
	if err != nil {
		return nil, err
	}
	return c.conn.Call(ctx, method, raw)
}

// CallResult calls a method as [Client.Call] does and decodes its result into the value that
// result points to.
func (c *Client) CallResult(ctx context.Context, method string, params, result any) error {
	raw, err := c.Call(ctx, method, params)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("result of %s: %w", method, err)
	}
	return nil
}

// Notify sends a notification with params as JSON (nil for none).
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	raw, err := encodeParams(params)
	if err != nil {
		return err
	}
	return c.conn.Notify(ctx, method, raw)
}

// Close ends the client; calls in flight return [ErrClosed]. It does not close
// the streams.
func (c *Client) Close() {
	c.stop()
	<-c.done
}

// encodeParams returns the JSON of params, nil for nil: the member may be left out
// (JSON-RPC 2.0, section 4.2).
func encodeParams(params any) ([]byte, error) {
	if params == nil {
		return nil, nil
	}
	return json.Marshal(params)
}

// A clientHandler is the server's view of a client.
type clientHandler struct{ cfg ClientConfig }

// Handle answers requests of the server with the handler of the configuration, or with
// "Method not found" if there is none.
func (h *clientHandler) Handle(ctx context.Context, req *Request, dst []byte) ([]byte, error) {
	if h.cfg.Handler == nil {
		return dst, Errorf(CodeMethodNotFound, "Method not found: %s", req.Method)
	}
	return h.cfg.Handler.Handle(ctx, req, dst)
}

// Preempt hands notifications on while the stream is in order.
func (h *clientHandler) Preempt(req *Request) bool {
	if h.cfg.Notified != nil {
		h.cfg.Notified(req.Method, append(json.RawMessage(nil), req.Params...))
	}
	return true
}
