package rulesclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/httpclient"
)

// A Client talks to one server. It may be used from any goroutine.
type Client struct {
	endpoint httpclient.Endpoint
	meta     json.RawMessage // _meta of each request
	revision string
}

// New returns a client of the server at e; version is that of this program.
func New(e httpclient.Endpoint, version string) *Client {
	revisions := host.Revisions()
	c := &Client{endpoint: e, revision: revisions[len(revisions)-1].Name}
	c.meta, _ = json.Marshal(map[string]any{ // texts only
		"io.modelcontextprotocol/protocolVersion":    c.revision,
		"io.modelcontextprotocol/clientCapabilities": struct{}{},
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "triptych", "version": version},
	})
	return c
}

// A ToolError is a tool's own account of its failure.
type ToolError struct{ Text string }

func (e *ToolError) Error() string { return e.Text }

// errNoAnswer is the error of a server that ends its answer too early.
var errNoAnswer = errors.New("the server did not answer the request")

// callID is the id of every request: an HTTP exchange has only one.
const callID = 1

// call calls a tool and decodes its structured answer into answer, unless it is nil.
// It returns the header of the answer.
func (c *Client) call(ctx context.Context, tool string, args, answer any) (http.Header, error) {
	var result toolResult
	header, err := c.ask(ctx, "tools/call", tool, toolCall{Name: tool, Arguments: args, Meta: c.meta}, &result)
	switch {
	case err != nil:
		return nil, err
	case result.IsError:
		return nil, result.failure()
	case answer == nil:
		return header, nil
	}
	if err := json.Unmarshal(result.Structured, answer); err != nil {
		return nil, fmt.Errorf("the answer of %s: %w", tool, err)
	}
	return header, nil
}

// ask sends a request about the tool or the resource of a name, and decodes its result.
// It returns the header of the answer.
func (c *Client) ask(ctx context.Context, method, name string, params, result any) (http.Header, error) {
	message, err := json.Marshal(request{Version: "2.0", ID: callID, Method: method, Params: params})
	if err != nil {
		return nil, err
	}
	var reply *response
	header, err := c.endpoint.Post(ctx, message, c.header(method, name), func(message []byte) error {
		var r response
		if err := json.Unmarshal(message, &r); err != nil {
			return fmt.Errorf("the answer of the server: %w", err)
		}
		if r.ID == callID {
			reply = &r // a message without the id is a notification
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case reply == nil:
		return nil, errNoAnswer
	case reply.Error != nil:
		return nil, &jsonrpc.Error{Code: reply.Error.Code, Message: reply.Error.Message, Data: reply.Error.Data}
	}
	if err := json.Unmarshal(reply.Result, result); err != nil {
		return nil, fmt.Errorf("the answer to %s: %w", method, err)
	}
	return header, nil
}

// header repeats what the body says, as the revision asks for.
func (c *Client) header(method, name string) http.Header {
	return http.Header{"Mcp-Protocol-Version": {c.revision}, "Mcp-Method": {method}, "Mcp-Name": {name}}
}

type request struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

type toolCall struct {
	Name      string          `json:"name"`
	Arguments any             `json:"arguments"`
	Meta      json.RawMessage `json:"_meta"`
}

type response struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    jsonrpc.Code    `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

type toolResult struct {
	IsError    bool            `json:"isError"`
	Structured json.RawMessage `json:"structuredContent"`
	Content    []struct {
		Text string `json:"text"`
	} `json:"content"`
}

// failure returns the texts of a failed call as an error.
func (r toolResult) failure() error {
	texts := make([]string, len(r.Content))
	for i, item := range r.Content {
		texts[i] = item.Text
	}
	return &ToolError{Text: strings.Join(texts, "\n")}
}

// named returns the error of a store about a ruleset that a tool's text names, else err.
func named(err error, name ruleset.Name) error {
	return oneOf(err, &ruleset.NotFoundError{Name: name}, &ruleset.ExistsError{Name: name})
}

// oneOf returns the error of a store that a tool's text has, else err. The texts are the
// documented ones, so that servers of others have them too.
func oneOf(err error, errs ...error) error {
	failure, ok := errors.AsType[*ToolError](err)
	if !ok {
		return err
	}
	for _, known := range errs {
		if strings.Contains(failure.Text, known.Error()) {
			return known
		}
	}
	return err
}
