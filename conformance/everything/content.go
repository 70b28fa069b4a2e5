package everything

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

func user(c mcp.Content) mcp.PromptMessage { return mcp.PromptMessage{Role: "user", Content: c} }

// said is a prompt that always has the same messages.
func said(messages ...mcp.PromptMessage) func(context.Context, *mcp.Call, map[string]string) (*mcp.PromptResult, error) {
	return func(context.Context, *mcp.Call, map[string]string) (*mcp.PromptResult, error) {
		return &mcp.PromptResult{Messages: messages}, nil
	}
}

func (f *fixture) prompts() []mcp.Prompt {
	return []mcp.Prompt{
		{
			Name: "test_simple_prompt", Doc: "A prompt without arguments",
			Get: said(user(mcp.Text("This is a simple prompt for testing."))),
		},
		{
			Name: "test_prompt_with_arguments", Doc: "A prompt with two arguments",
			Args: []mcp.PromptArgument{
				{Name: "arg1", Doc: "First argument", Required: true}, {Name: "arg2", Doc: "Second argument", Required: true},
			},
			Get: func(_ context.Context, _ *mcp.Call, args map[string]string) (*mcp.PromptResult, error) {
				said := fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"])
				return &mcp.PromptResult{Messages: []mcp.PromptMessage{user(mcp.Text(said))}}, nil
			},
			Complete: func(context.Context, *mcp.Call, string, string, map[string]string) ([]string, int, error) {
				return nil, 0, nil
			},
		},
		{
			Name: "test_prompt_with_embedded_resource", Doc: "A prompt with a resource",
			Args: []mcp.PromptArgument{{Name: "resourceUri", Doc: "URI of the resource", Required: true}},
			Get: func(_ context.Context, _ *mcp.Call, args map[string]string) (*mcp.PromptResult, error) {
				return &mcp.PromptResult{Messages: []mcp.PromptMessage{
					user(mcp.Embedded(mcp.Contents{
						URI: args["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing.",
					})),
					user(mcp.Text("Please process the embedded resource above.")),
				}}, nil
			},
		},
		{
			Name: "test_prompt_with_image", Doc: "A prompt with an image",
			Get: said(user(mcp.Image(png, "image/png")), user(mcp.Text("Please analyze the image above."))),
		},
		{Name: "test_input_required_result_prompt", Doc: "A prompt that asks the user", Get: askContext},
	}
}

func askContext(ctx context.Context, c *mcp.Call, _ map[string]string) (*mcp.PromptResult, error) {
	answers, err := c.Ask(ctx, asks{"user_context": question("What is the context?", "context", "string")})
	if err != nil {
		return nil, err
	}
	return &mcp.PromptResult{Messages: []mcp.PromptMessage{
		user(mcp.Text("Context: " + filled(answers["user_context"], "context"))),
	}}, nil
}

func (f *fixture) resources() []mcp.ResourceSource {
	return []mcp.ResourceSource{{
		Scheme: "test", List: list, Read: read,
		Templates: []mcp.ResourceTemplate{{
			URITemplate: "test://template/{id}/data", Name: "template", Description: "Data by id", MIMEType: "application/json",
		}},
	}, skills()}
}

func list(context.Context, *mcp.Call, string, int) ([]mcp.Resource, string, error) {
	return []mcp.Resource{
		{URI: "test://static-text", Name: "static-text", Description: "A text", MIMEType: "text/plain"},
		{URI: "test://static-binary", Name: "static-binary", Description: "An image", MIMEType: "image/png"},
		{URI: watched, Name: "watched-resource", Description: "A text that changes", MIMEType: "text/plain"},
	}, "", nil
}

const watched = "test://watched-resource"

// ticks counts the changes of the watched resource.
var ticks atomic.Int64

func read(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
	switch uri {
	case "test://static-text":
		return []mcp.Contents{{URI: uri, MIMEType: "text/plain", Text: "This is the content of the static text resource."}}, nil
	case "test://static-binary":
		return []mcp.Contents{{URI: uri, MIMEType: "image/png", Blob: png}}, nil
	case watched:
		return []mcp.Contents{{URI: uri, MIMEType: "text/plain", Text: fmt.Sprintf("Changed %d times.", ticks.Load())}}, nil
	}
	rest, ok := strings.CutPrefix(uri, "test://template/")
	if id, found := strings.CutSuffix(rest, "/data"); ok && found && !strings.Contains(id, "/") {
		data := jsonrpc.AppendString([]byte(`{"id":`), id)
		data = jsonrpc.AppendString(append(data, `,"templateTest":true,"data":`...), "Data for ID: "+id)
		return []mcp.Contents{{URI: uri, MIMEType: "application/json", Text: string(append(data, '}'))}}, nil
	}
	return nil, &mcp.ResourceNotFoundError{URI: uri, Message: "Resource not found: " + uri}
}

// watch changes the watched resource every three seconds.
func (f *fixture) watch(ctx context.Context, changes mcp.Changes) error {
	ticker := time.NewTicker(3 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			ticks.Add(1)
			changes.ResourceUpdated(watched)
		}
	}
}
