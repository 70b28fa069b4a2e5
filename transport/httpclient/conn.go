package httpclient

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/client"
)

// A Conn carries the requests of a client to an endpoint, each in an HTTP request of its own. It
// keeps the session that the server may begin. It may be used by several goroutines.
type Conn struct {
	Endpoint
	// Notified is called with what the server tells while it answers; nil ignores it. Requests of
	// the server are refused.
	Notified func(method string, params json.RawMessage)

	last    atomic.Int64 // id of a request
	mu      sync.Mutex
	session http.Header // of the session, nil before it has begun
}

var _ client.Conn = (*Conn)(nil)

// A message is sent or received.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Code    jsonrpc.Code    `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error,omitempty"`
}

// Call implements [client.Conn].
func (c *Conn) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id := json.RawMessage(strconv.FormatInt(c.last.Add(1), 10))
	var answer *message
	header, err := c.send(ctx, message{ID: id, Method: method}, params, func(m *message) error {
		switch {
		case m.Method == "":
			answer = m
		case m.ID != nil:
			return c.refuse(ctx, m)
		case c.Notified != nil:
			c.Notified(m.Method, m.Params)
		}
		return nil
	})
	switch {
	case err != nil:
		if ctx.Err() != nil {
			c.cancel(ctx, id)
		}
		return nil, err
	case answer == nil:
		return nil, errors.New("the server did not answer the request")
	case answer.Error != nil:
		return nil, &jsonrpc.Error{Code: answer.Error.Code, Message: answer.Error.Message, Data: answer.Error.Data}
	case method == "initialize":
		c.begin(header, answer.Result)
	}
	return answer.Result, nil
}

// cancelTime is the time for which the message that a call was canceled is sent.
const cancelTime = 2 * time.Second

// cancel tells the server of a session that the answer to a request is not awaited any more: it goes
// on otherwise. A request without a session ends with its connection.
func (c *Conn) cancel(ctx context.Context, id json.RawMessage) {
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if session == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	_ = c.Notify(ctx, "notifications/cancelled", map[string]any{"requestId": id}) // else the server is away
}

// Notify implements [client.Conn].
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	_, err := c.send(ctx, message{Method: method}, params, func(*message) error { return nil })
	return err
}

// Close ends the session, if there is one.
func (c *Conn) Close(ctx context.Context) error {
	c.mu.Lock()
	session := c.session
	c.session = nil
	c.mu.Unlock()
	if session == nil {
		return nil
	}
	resp, err := c.Do(ctx, http.MethodDelete, nil, session)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// send posts a message with params, and calls each with what answers it.
func (c *Conn) send(ctx context.Context, m message, params any, each func(*message) error) (http.Header, error) {
	m.Version = "2.0"
	if params != nil {
		raw, err := json.Marshal(params)
		if err != nil {
			return nil, fmt.Errorf("%s: params: %w", m.Method, err)
		}
		m.Params = raw
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return c.Post(ctx, text, c.header(&m), func(text []byte) error {
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("the answer of the server: %w", err)
		}
		return each(&m)
	})
}

// refuse answers a request of the server.
func (c *Conn) refuse(ctx context.Context, m *message) error {
	text := jsonrpc.AppendError(nil, jsonrpc.RawID(m.ID), true, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "this client has no %s", m.Method))
	_, err := c.Post(ctx, text, c.header(&message{}), func([]byte) error { return nil })
	return err
}

// begin remembers the session of a handshake.
func (c *Conn) begin(header http.Header, result json.RawMessage) {
	var agreed struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(result, &agreed) // without a revision, none is told
	session := http.Header{"Mcp-Protocol-Version": {agreed.Version}}
	if id := header.Get("Mcp-Session-Id"); id != "" {
		session.Set("Mcp-Session-Id", id)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = session
}

// header returns what goes with a message: the session, or what a request without one repeats of
// itself.
func (c *Conn) header(m *message) http.Header {
	var p struct {
		Name   string `json:"name"`
		URI    string `json:"uri"`
		TaskID string `json:"taskId"`
		Meta   struct {
			Claim string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p) // of another shape: the server says so
	if p.Meta.Claim == "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.session
	}
	header := http.Header{"Mcp-Protocol-Version": {mirror(p.Meta.Claim)}, "Mcp-Method": {mirror(m.Method)}}
	if name := cmp.Or(p.Name, p.URI, p.TaskID); name != "" {
		header.Set("Mcp-Name", mirror(name))
	}
	return header
}

// mirror encodes a value for a header.
func mirror(value string) string {
	for _, c := range []byte(value) {
		if c < ' ' || c > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
		}
	}
	return value
}
