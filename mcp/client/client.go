package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A Conn carries requests and notifications to a server. params is encoded as JSON; nil is none.
type Conn interface {
	// Call returns the result, or the server's error as a [*jsonrpc.Error].
	Call(ctx context.Context, method string, params any) (json.RawMessage, error)
	Notify(ctx context.Context, method string, params any) error
}

var _ Conn = (*jsonrpc.Client)(nil)

// A Config says who asks.
type Config struct {
	Name, Version string
	// Capabilities of the client, which encodes as an object; nil for none.
	Capabilities any
}

// A Client asks one server. Make one with [New].
type Client struct {
	conn Conn
	cfg  Config
	meta map[string]any // of each request of a revision without a handshake
}

// New returns a client that asks over a connection, which stays the caller's.
func New(conn Conn, cfg Config) *Client {
	if cfg.Capabilities == nil {
		cfg.Capabilities = struct{}{}
	}
	return &Client{conn: conn, cfg: cfg}
}

// info returns the name of the client as the protocol has it.
func (c *Client) info() map[string]any {
	return map[string]any{"name": c.cfg.Name, "version": c.cfg.Version}
}

// Initialize begins a revision: with the handshake, or with server/discover where there is none. The
// empty name is the newest revision. It returns the server's answer.
func (c *Client) Initialize(ctx context.Context, revision string) (json.RawMessage, error) {
	all := host.Revisions()
	rev := all[len(all)-1]
	if revision != "" {
		if rev = host.RevisionNamed(revision); rev == nil {
			return nil, fmt.Errorf("there is no revision %q", revision)
		}
	}
	if rev.Modern {
		c.meta = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    rev.Name,
			"io.modelcontextprotocol/clientCapabilities": c.cfg.Capabilities,
			"io.modelcontextprotocol/clientInfo":         c.info(),
		}
		return c.Ask(ctx, "server/discover", nil)
	}
	answer, err := c.conn.Call(ctx, "initialize", map[string]any{
		"protocolVersion": rev.Name, "capabilities": c.cfg.Capabilities, "clientInfo": c.info(),
	})
	if err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return answer, c.conn.Notify(ctx, "notifications/initialized", nil)
}

// Ask sends a request and returns its result. params encodes as an object or null. Members that it
// has in _meta are kept.
func (c *Client) Ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	claimed, err := c.claimed(params)
	if err != nil {
		return nil, fmt.Errorf("%s: params: %w", method, err)
	}
	return c.conn.Call(ctx, method, claimed)
}

// AskFor is Ask with the result decoded.
func (c *Client) AskFor(ctx context.Context, method string, params, result any) error {
	raw, err := c.Ask(ctx, method, params)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("the answer to %s: %w", method, err)
	}
	return nil
}

// claimed adds the claim of a revision without a handshake to params.
func (c *Client) claimed(params any) (any, error) {
	if c.meta == nil {
		return params, nil
	}
	object, err := objectOf(params)
	if err != nil {
		return nil, err
	}
	meta, err := objectOf(object["_meta"])
	if err != nil {
		return nil, fmt.Errorf("_meta: %w", err)
	}
	for key, value := range c.meta {
		if _, given := meta[key]; !given {
			meta[key] = value
		}
	}
	object["_meta"] = meta
	return object, nil
}

// objectOf returns the members of a value that encodes as an object or null.
func objectOf(v any) (map[string]any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	object := make(map[string]any, len(members)+1)
	for key, value := range members {
		object[key] = value
	}
	return object, nil
}

// IsMissingMethod reports whether an error says that the server does not have the method, such as
// tools/list where it has no tools.
func IsMissingMethod(err error) bool {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && rpc.Code == jsonrpc.CodeMethodNotFound
}
