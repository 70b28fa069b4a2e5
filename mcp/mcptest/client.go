package mcptest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/client"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Newest returns the name of the newest revision.
func Newest() string {
	all := host.Revisions()
	return all[len(all)-1].Name
}

// Initialize negotiates the revision and returns the server's answer as JSON. For a revision
// with a handshake it sends initialize and notifications/initialized; a modern revision is
// claimed in every following request, the first of which is server/discover. A name that is no
// revision fails the test.
func (c *Client) Initialize(revision string) json.RawMessage {
	c.t.Helper()
	if revision == "" {
		c.t.Fatalf("there is no revision %q", revision)
		return nil
	}
	answer, err := c.client.Initialize(c.t.Context(), revision)
	if err != nil {
		c.t.Fatalf("%v", err)
	}
	return answer
}

// Ask sends a request and waits for its answer. params is a map, a struct or JSON that encodes
// as an object, or nil. Ask returns the result as JSON, or the server's error; any other error
// fails the test.
func (c *Client) Ask(method string, params any) (json.RawMessage, *jsonrpc.Error) {
	c.t.Helper()
	raw, err := c.client.Ask(c.t.Context(), method, params)
	return raw, c.refusal(err)
}

// refusal returns the server's error; any other one fails the test.
func (c *Client) refusal(err error) *jsonrpc.Error {
	c.t.Helper()
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if err != nil && !ok {
		c.t.Fatalf("%v", err)
	}
	return rpc
}

// An Answer is the answer to a tool call. Of a call that was refused as a whole, only Err is
// set.
type Answer struct {
	// Text joins all text content with line feeds.
	Text string
	// Content holds the content items as JSON.
	Content []json.RawMessage
	// Structured is the structured content, nil when there is none.
	Structured json.RawMessage
	// IsError reports a failure that is visible to the model.
	IsError bool
	// Err is the JSON-RPC error of a call without a result.
	Err *jsonrpc.Error
	// Raw is the whole result as JSON.
	Raw json.RawMessage
}

// String describes the answer in a test failure.
func (a Answer) String() string {
	switch {
	case a.Err != nil:
		return fmt.Sprintf("error %d: %s", a.Err.Code, a.Err.Message)
	case a.IsError:
		return "tool error: " + a.Text
	}
	return a.Text
}

// Call calls a tool by either spelling of its name, debugger/attach or debugger_attach.
// arguments is a map, a struct or JSON; nil means none. A failure of the tool is in the answer
// and does not fail the test.
func (c *Client) Call(tool string, arguments any) Answer {
	c.t.Helper()
	result, err := c.client.CallTool(c.t.Context(), tool, arguments)
	if rpc := c.refusal(err); rpc != nil || result == nil {
		return Answer{Err: rpc}
	}
	return Answer{
		Text: result.Text(), Content: result.Content, Structured: result.Structured, IsError: result.IsError, Raw: result.Raw,
	}
}

// List returns the items of all pages of a list: tools, resources, resources/templates or
// prompts. They are in the order of the server, as JSON.
func (c *Client) List(what string) []json.RawMessage {
	c.t.Helper()
	all, err := c.client.List(c.t.Context(), what)
	if err != nil {
		c.t.Fatalf("%s/list: %v", what, err)
	}
	return all
}

// Contents is one part of a resource: text, or bytes if Blob is not nil.
type Contents = client.Contents

// Read reads a resource and returns its parts, or the server's error.
func (c *Client) Read(uri string) ([]Contents, *jsonrpc.Error) {
	c.t.Helper()
	parts, err := c.client.ReadResource(c.t.Context(), uri)
	return parts, c.refusal(err)
}
