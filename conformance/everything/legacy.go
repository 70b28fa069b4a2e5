package everything

import (
	"context"
	"encoding/json"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
)

type promptArgs struct {
	Prompt string `json:"prompt" doc:"What to ask the model"`
}

type messageArgs struct {
	Message string `json:"message" doc:"What to ask the user"`
}

// legacyTools do what only revisions with sessions have.
func (f *fixture) legacyTools() []mcp.Tool {
	return []mcp.Tool{
		{Name: "test_tool_with_logging", Doc: "Logs to the client", Hints: mcp.ReadOnly, Call: call(withLogging)},
		{Name: "test_sampling", Doc: "Asks the client's model", Hints: mcp.ReadOnly, Call: mcp.Typed(withSampling)},
		{
			Name: "test_elicitation", Doc: "Asks the user", Hints: mcp.ReadOnly,
			Call: mcp.Typed(func(ctx context.Context, c *mcp.Call, in messageArgs) (*mcp.Result, error) {
				return elicit(ctx, c, in.Message, `{"type":"object","properties":{"username":{"type":"string"},"email":{"type":"string"}},"required":["username","email"]}`)
			}),
		},
		{Name: "test_elicitation_sep1034_defaults", Doc: "Asks with defaults", Hints: mcp.ReadOnly, Call: form(defaultsSchema)},
		{Name: "test_elicitation_sep1330_enums", Doc: "Asks with choices", Hints: mcp.ReadOnly, Call: form(enumsSchema)},
		{Name: "test_reconnection", Doc: "Lets the client come back for the answer", Hints: mcp.ReadOnly, Suspends: true, Call: call(reconnect)},
	}
}

func withLogging(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	for _, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		c.Log(ctx, mcp.LevelInfo, "", message)
		if err := pause(ctx, pace); err != nil {
			return nil, err
		}
	}
	return text("Logged."), nil
}

// sampling asks the client's model.
func sampling(prompt string, maxTokens int) mcp.InputRequest {
	return mcp.InputRequest{Method: "sampling/createMessage", Params: map[string]any{
		"messages":  []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": prompt}}},
		"maxTokens": maxTokens,
	}}
}

// sampled is the text of a model's answer.
func sampled(answer json.RawMessage) string {
	var message struct {
		Content struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(answer, &message) != nil {
		return string(answer)
	}
	return message.Content.Text
}

func withSampling(ctx context.Context, c *mcp.Call, in promptArgs) (*mcp.Result, error) {
	answers, err := c.Ask(ctx, map[string]mcp.InputRequest{"answer": sampling(in.Prompt, 100)})
	if err != nil {
		return nil, err
	}
	return text("LLM response: " + sampled(answers["answer"])), nil
}

func elicit(ctx context.Context, c *mcp.Call, message, schema string) (*mcp.Result, error) {
	answers, err := c.Ask(ctx, map[string]mcp.InputRequest{"answer": mcp.Form(message, json.RawMessage(schema))})
	if err != nil {
		return nil, err
	}
	return text("User response: " + string(answers["answer"])), nil
}

func form(schema string) mcp.Binding {
	return call(func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		return elicit(ctx, c, "Please fill in the form", schema)
	})
}

// reconnectAfter is the retry delay sent to a client, and about how long
// the answer takes.
const reconnectAfter = 100 * time.Millisecond

func reconnect(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	if err := pause(ctx, reconnectAfter); err != nil {
		return nil, err
	}
	c.Suspend(reconnectAfter)
	if err := pause(ctx, reconnectAfter); err != nil {
		return nil, err
	}
	return text("Reconnection test completed."), nil
}

const defaultsSchema = `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},` +
	`"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},` +
	`"verified":{"type":"boolean","default":true}}}`

const enumsSchema = `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
	`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]},` +
	`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},` +
	`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},` +
	`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]}}}}`
