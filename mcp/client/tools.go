package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// members are the names of the items in the results of lists, where they differ from what is listed.
var members = map[string]string{"resources/templates": "resourceTemplates"}

// List returns the items of all pages of a list as JSON, in the order of the server: of tools,
// resources, resources/templates or prompts.
func (c *Client) List(ctx context.Context, what string) ([]json.RawMessage, error) {
	member, ok := members[what]
	if !ok {
		member = what
	}
	var all []json.RawMessage
	for params := map[string]any{}; ; {
		page := map[string]json.RawMessage{}
		if err := c.AskFor(ctx, what+"/list", params, &page); err != nil {
			return nil, err
		}
		var items []json.RawMessage
		if err := json.Unmarshal(page[member], &items); err != nil {
			return nil, fmt.Errorf("%s/list: %w", what, err)
		}
		all = append(all, items...)
		if page["nextCursor"] == nil {
			return all, nil
		}
		params["cursor"] = page["nextCursor"]
	}
}

// A Result is the answer to a call of a tool.
type Result struct {
	// Content holds the content items as JSON.
	Content []json.RawMessage `json:"content"`
	// Structured is the structured content, nil when there is none.
	Structured json.RawMessage `json:"structuredContent"`
	// IsError reports a failure of the tool, which the texts explain.
	IsError bool `json:"isError"`
	// Raw is the whole result.
	Raw json.RawMessage `json:"-"`
}

// CallTool calls a tool. arguments encodes as an object; nil is none.
func (c *Client) CallTool(ctx context.Context, name string, arguments any) (*Result, error) {
	params := map[string]any{"name": name}
	if arguments != nil {
		params["arguments"] = arguments
	}
	raw, err := c.Ask(ctx, "tools/call", params)
	if err != nil {
		return nil, err
	}
	r := &Result{Raw: raw}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("the result of %s: %w", name, err)
	}
	return r, nil
}

// Text returns the texts of the result, joined by line feeds.
func (r *Result) Text() string {
	var texts []string
	for _, raw := range r.Content {
		var item struct{ Type, Text string }
		if json.Unmarshal(raw, &item) == nil && item.Type == "text" {
			texts = append(texts, item.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Contents is one part of a resource: text, or bytes if Blob is not nil.
type Contents struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
	Blob     []byte `json:"blob"`
}

// ReadResource returns the parts of a resource.
func (c *Client) ReadResource(ctx context.Context, uri string) ([]Contents, error) {
	var result struct {
		Contents []Contents `json:"contents"`
	}
	err := c.AskFor(ctx, "resources/read", map[string]any{"uri": uri}, &result)
	return result.Contents, err
}
