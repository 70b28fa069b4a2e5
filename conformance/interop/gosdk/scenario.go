package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A step is one thing to do.
type step struct {
	Do      string         `json:"do"`
	Name    string         `json:"name"`
	URI     string         `json:"uri"`
	Value   string         `json:"value"`
	Args    map[string]any `json:"args"`
	Invalid bool           `json:"invalid"` // the arguments do not fit the tool's schema
}

// An outcome is the result of a step.
type outcome struct {
	Names      []string `json:"names,omitempty"`
	Text       string   `json:"text,omitempty"`
	IsError    bool     `json:"isError,omitempty"`
	Structured bool     `json:"structured,omitempty"`
	Code       int64    `json:"code,omitempty"`
	Message    string   `json:"message,omitempty"`
}

// schemas holds the schemas of one tool; output may be nil.
type schemas struct{ input, output *jsonschema.Resolved }

// A scenario is a session and what is known of it.
type scenario struct {
	session    *mcp.ClientSession
	changes    *changes
	complaints complaints
	schemas    map[string]schemas
}

func newScenario() *scenario {
	return &scenario{changes: newChanges(), schemas: map[string]schemas{}}
}

// takeAll takes the steps. Errors that the server sent are outcomes, all
// others are complaints.
func (s *scenario) takeAll(ctx context.Context, steps []step) []outcome {
	outcomes := make([]outcome, len(steps))
	for i, st := range steps {
		var err error
		outcomes[i], err = s.take(ctx, st)
		if answer, ok := errors.AsType[*jsonrpc.Error](err); ok {
			outcomes[i] = outcome{Code: answer.Code, Message: answer.Message}
		} else if err != nil {
			s.complaints.add("%+v: %v", st, err)
		}
	}
	return outcomes
}

func (s *scenario) take(ctx context.Context, st step) (outcome, error) {
	switch st.Do {
	case "tools":
		return s.tools(ctx)
	case "resources":
		return gather(s.session.Resources(ctx, nil), func(r *mcp.Resource) string { return r.URI })
	case "templates":
		return gather(s.session.ResourceTemplates(ctx, nil), func(t *mcp.ResourceTemplate) string { return t.URITemplate })
	case "prompts":
		return s.prompts(ctx)
	case "call":
		return s.call(ctx, st)
	case "read":
		return s.read(ctx, st)
	case "complete":
		return s.complete(ctx, st)
	case "listen": // the SDK asks by itself
		return outcome{}, nil
	case "subscribe":
		s.changes.forget(st.URI)
		return outcome{}, s.session.Subscribe(ctx, &mcp.SubscribeParams{URI: st.URI})
	case "unsubscribe":
		return outcome{}, s.session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: st.URI})
	case "hear":
		return outcome{}, s.changes.wait(st.URI)
	}
	return outcome{}, fmt.Errorf("no step is called %q", st.Do)
}

// gather collects the names of a list.
func gather[T any](list func(func(T, error) bool), name func(T) string) (o outcome, err error) {
	for item, err := range list {
		if err != nil {
			return o, err
		}
		o.Names = append(o.Names, name(item))
	}
	return o, nil
}

func (s *scenario) tools(ctx context.Context) (o outcome, err error) {
	for tool, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return o, err
		}
		var both schemas
		if both.input, err = resolve(tool.InputSchema); err != nil {
			return o, err
		}
		if tool.OutputSchema != nil {
			if both.output, err = resolve(tool.OutputSchema); err != nil {
				return o, err
			}
		}
		s.schemas[tool.Name] = both
		o.Names = append(o.Names, tool.Name)
	}
	return o, nil
}

// resolve makes a schema of what the SDK decoded into a map.
func resolve(v any) (*jsonschema.Resolved, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}

func (s *scenario) prompts(ctx context.Context) (outcome, error) {
	if s.session.InitializeResult().Capabilities.Prompts == nil {
		return outcome{}, nil
	}
	return gather(s.session.Prompts(ctx, nil), func(p *mcp.Prompt) string { return p.Name })
}

func (s *scenario) call(ctx context.Context, st step) (outcome, error) {
	known := s.schemas[st.Name]
	if known.input != nil {
		if err := known.input.Validate(st.Args); (err != nil) != st.Invalid {
			s.complaints.add("%s %v: the schema says %v", st.Name, st.Args, err)
		}
	}
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: st.Name, Arguments: st.Args})
	if err != nil {
		return outcome{}, err
	}
	o := outcome{IsError: result.IsError, Structured: result.StructuredContent != nil}
	if known.output != nil && !o.IsError {
		if err := known.output.Validate(result.StructuredContent); err != nil {
			s.complaints.add("%s: structured content: %v", st.Name, err)
		}
	}
	o.Text, err = joined(result.Content)
	return o, err
}

// joined returns the texts of an answer, of which there must be one at least.
func joined(content []mcp.Content) (string, error) {
	if len(content) == 0 {
		return "", errors.New("want a text, not an empty answer")
	}
	texts := make([]string, len(content))
	for i, item := range content {
		text, ok := item.(*mcp.TextContent)
		if !ok {
			return "", fmt.Errorf("want a text, not %T", item)
		}
		texts[i] = text.Text
	}
	return strings.Join(texts, "\n"), nil
}

func (s *scenario) read(ctx context.Context, st step) (outcome, error) {
	result, err := s.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: st.URI})
	if err != nil {
		return outcome{}, err
	}
	if len(result.Contents) != 1 || result.Contents[0].URI != st.URI {
		return outcome{}, fmt.Errorf("want one text of %s, not %v", st.URI, result.Contents)
	}
	return outcome{Text: result.Contents[0].Text}, nil
}

func (s *scenario) complete(ctx context.Context, st step) (outcome, error) {
	result, err := s.session.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: st.URI},
		Argument: mcp.CompleteParamsArgument{Name: st.Name, Value: st.Value},
	})
	if err != nil {
		return outcome{}, err
	}
	return outcome{Names: result.Completion.Values}, nil
}
