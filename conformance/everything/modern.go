package everything

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/triptych-mcp/triptych/mcp"
)

// asks are questions by their keys.
type asks = map[string]mcp.InputRequest

// modernTools ask by results instead of requests, and tell of changes.
func (f *fixture) modernTools() []mcp.Tool {
	const input = "test_input_required_result_"
	tools := []mcp.Tool{
		{
			Name: "test_missing_capability", Doc: "Needs a client with sampling",
			Call: call(func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
				_, err := c.Ask(ctx, asks{"sample": sampling("Hello", 10)})
				return text("The client has sampling."), err
			}),
		},
		{Name: "test_streaming_elicitation", Doc: "Asks the user", Call: form(`{"type":"object","properties":{"name":{"type":"string"}}}`)},
		{Name: "test_logging_tool", Doc: "Logs to the client", Call: call(withLogging)},
		{Name: "test_trigger_tool_change", Doc: "Tells that the list of tools changed", Call: call(f.changeTools)},
		{Name: "test_trigger_prompt_change", Doc: "Tells that the list of prompts changed", Call: call(f.changePrompts)},
		{Name: input + "elicitation", Doc: "Asks for a name", Call: call(greetUser)},
		{Name: input + "sampling", Doc: "Asks the client's model", Call: call(askCapital)},
		{Name: input + "list_roots", Doc: "Asks for the client's roots", Call: call(askRoots)},
		{Name: input + "request_state", Doc: "Keeps a state between two rounds", Call: call(keepState)},
		{Name: input + "multiple_inputs", Doc: "Asks for three things at once", Call: call(askMuch)},
		{Name: input + "multi_round", Doc: "Asks in two rounds", Call: call(askTwice)},
		{Name: input + "tampered_state", Doc: "Refuses a state that was changed", Call: call(keepState)},
		{Name: input + "capabilities", Doc: "Asks only what the client can answer", Call: call(askWhatCan)},
	}
	for i := range tools {
		tools[i].Hints = mcp.ReadOnly
	}
	return tools
}

func (f *fixture) changeTools(context.Context, *mcp.Call) (*mcp.Result, error) {
	f.changes().ToolsChanged()
	return text("Told."), nil
}

func (f *fixture) changePrompts(context.Context, *mcp.Call) (*mcp.Result, error) {
	f.changes().PromptsChanged()
	return text("Told."), nil
}

// question asks for one required text.
func question(message, field, kind string) mcp.InputRequest {
	return mcp.Form(message, json.RawMessage(fmt.Sprintf(
		`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, field, kind, field)))
}

var (
	askName  = question("What is your name?", "name", "string")
	askRoot  = mcp.InputRequest{Method: "roots/list"}
	askAgree = question("Do you agree?", "ok", "boolean")
)

// filled is a field of an accepted form.
func filled(answer json.RawMessage, field string) string {
	var form struct {
		Content map[string]any `json:"content"`
	}
	if json.Unmarshal(answer, &form) != nil || form.Content[field] == nil {
		return ""
	}
	return fmt.Sprint(form.Content[field])
}

func greetUser(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	answers, err := c.Ask(ctx, asks{"user_name": askName})
	return text("Hello, " + filled(answers["user_name"], "name") + "!"), err
}

func askCapital(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	answers, err := c.Ask(ctx, asks{"capital_question": sampling("What is the capital of France?", 100)})
	return text(sampled(answers["capital_question"])), err
}

func askRoots(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	answers, err := c.Ask(ctx, asks{"client_roots": askRoot})
	return text("Roots: " + string(answers["client_roots"])), err
}

// keepState asks once and checks that its state comes back.
func keepState(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	kept, err := c.AskState()
	if err != nil {
		return nil, err
	}
	if _, err := c.AskWithState(ctx, asks{"confirm": askAgree}, []byte("round 1")); err != nil {
		return nil, err
	}
	if string(kept) != "round 1" {
		return nil, mcp.InvalidParams("requestState is missing")
	}
	return text("state-ok"), nil
}

func askMuch(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	if _, err := c.AskState(); err != nil {
		return nil, err
	}
	_, err := c.AskWithState(ctx, asks{
		"user_name": askName, "greeting": sampling("Generate a greeting", 50), "client_roots": askRoot,
	}, []byte("all"))
	return text("All inputs received."), err
}

// askTwice keeps the answer of the first round in the state of the second.
func askTwice(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	kept, err := c.AskState()
	if err != nil {
		return nil, err
	}
	name := string(kept)
	if name == "" || name == "?" {
		answers, err := c.AskWithState(ctx, asks{"step1": question("Step 1: your name?", "name", "string")}, []byte("?"))
		if err != nil {
			return nil, err
		}
		name = "name " + filled(answers["step1"], "name")
	}
	answers, err := c.AskWithState(ctx, asks{"step2": question("Step 2: your color?", "color", "string")}, []byte(name))
	return text("Got " + name + " and color " + filled(answers["step2"], "color")), err
}

func askWhatCan(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	can, open := c.Client(), asks{}
	if can.Forms || can.URLs {
		open["user_name"] = askName
	}
	if can.Sampling {
		open["greeting"] = sampling("Generate a greeting", 50)
	}
	if can.Roots {
		open["client_roots"] = askRoot
	}
	_, err := c.Ask(ctx, open)
	return text("Done."), err
}
