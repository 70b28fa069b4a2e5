package mcptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

// Newest returns the name of the newest revision.
func Newest() string {
	all := mcp.Revisions()
	return all[len(all)-1].Name
}

// Initialize negotiates the revision and returns the server's answer as JSON. For a revision
// with a handshake it sends initialize and notifications/initialized; a modern revision is
// claimed in every following request, the first of which is server/discover. A name that is no
// revision fails the test.
func (c *Client) Initialize(revision string) json.RawMessage {
	c.t.Helper()
	rev := mcp.RevisionNamed(revision)
	if rev == nil {
		c.t.Fatalf("there is no revision %q", revision)
		return nil
	}
	if rev.Modern {
		c.mu.Lock()
		c.claim = rev
		c.mu.Unlock()
		return c.must("server/discover", nil)
	}
	info := c.must("initialize", map[string]any{
		"protocolVersion": rev.Name, "capabilities": c.capabilities,
		"clientInfo": map[string]any{"name": "mcptest", "version": "1.0.0"},
	})
	if err := c.rpc.Notify(c.t.Context(), "notifications/initialized", nil); err != nil {
		c.t.Fatalf("notifications/initialized: %v", err)
	}
	return info
}

// Ask sends a request and waits for its answer. params is a map, a struct or JSON that encodes
// as an object, or nil. Ask returns the result as JSON, or the server's error; any other error
// fails the test.
func (c *Client) Ask(method string, params any) (json.RawMessage, *jsonrpc.Error) {
	c.t.Helper()
	claimed, err := c.claimed(params)
	if err != nil {
		c.t.Fatalf("%s: params: %v", method, err)
		return nil, nil
	}
	raw, err := c.rpc.Call(c.t.Context(), method, claimed)
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, rpc
	}
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return raw, nil
}

// must is like Ask, but an error of the server fails the test.
func (c *Client) must(method string, params any) json.RawMessage {
	c.t.Helper()
	raw, err := c.Ask(method, params)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return raw
}

// The members of _meta that every modern request requires.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// claimed adds the claim of a modern revision to params. Members that params already
// has in _meta are kept.
func (c *Client) claimed(params any) (any, error) {
	c.mu.Lock()
	rev := c.claim
	c.mu.Unlock()
	if rev == nil {
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
	for key, value := range map[string]any{metaVersion: rev.Name, metaCapabilities: c.capabilities} {
		if _, present := meta[key]; !present {
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
	object := map[string]any{}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	for key, value := range members {
		object[key] = value
	}
	return object, nil
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
	params := map[string]any{"name": tool}
	if arguments != nil {
		params["arguments"] = arguments
	}
	raw, rpc := c.Ask("tools/call", params)
	if rpc != nil {
		return Answer{Err: rpc}
	}
	var result struct {
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent"`
		IsError    bool              `json:"isError"`
	}
	c.decode("tools/call", raw, &result)
	return Answer{
		Text: c.texts(result.Content), Content: result.Content,
		Structured: result.Structured, IsError: result.IsError, Raw: raw,
	}
}

// texts joins the texts of content items.
func (c *Client) texts(content []json.RawMessage) string {
	c.t.Helper()
	var texts []string
	for _, raw := range content {
		var item struct{ Type, Text string }
		c.decode("content", raw, &item)
		if item.Type == "text" {
			texts = append(texts, item.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// decode decodes what the server has sent. JSON of another shape fails the test.
func (c *Client) decode(what string, raw json.RawMessage, to any) {
	c.t.Helper()
	if err := json.Unmarshal(raw, to); err != nil {
		c.t.Fatalf("%s: %v in %s", what, err, raw)
	}
}

// List returns the items of all pages of a list: tools, resources, resources/templates or
// prompts. They are in the order of the server, as JSON.
func (c *Client) List(what string) []json.RawMessage {
	c.t.Helper()
	member := what
	if what == "resources/templates" {
		member = "resourceTemplates"
	}
	var all []json.RawMessage
	for cursor := ""; ; {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		page := map[string]json.RawMessage{}
		c.decode(what, c.must(what+"/list", params), &page)
		var items []json.RawMessage
		c.decode(what, page[member], &items)
		all = append(all, items...)
		if page["nextCursor"] == nil {
			return all
		}
		c.decode(what, page["nextCursor"], &cursor)
	}
}

// Contents is one part of a resource: text, or bytes if Blob is not nil.
type Contents struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
	Blob     []byte `json:"blob"`
}

// Read reads a resource and returns its parts, or the server's error.
func (c *Client) Read(uri string) ([]Contents, *jsonrpc.Error) {
	c.t.Helper()
	raw, rpc := c.Ask("resources/read", map[string]any{"uri": uri})
	if rpc != nil {
		return nil, rpc
	}
	var result struct {
		Contents []Contents `json:"contents"`
	}
	c.decode("resources/read", raw, &result)
	return result.Contents, nil
}
