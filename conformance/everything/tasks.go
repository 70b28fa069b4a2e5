package everything

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

type greetArgs struct {
	Name string `json:"name" doc:"Whom to greet"`
}

type computeArgs struct {
	Seconds float64 `json:"seconds" doc:"How long to compute" min:"0" max:"60"`
	Label   string  `json:"label,omitzero" doc:"What to call the result"`
}

type fileArgs struct {
	Filename string `json:"filename" doc:"What to delete"`
}

// taskTools returns the tools of the tasks extension.
func (f *fixture) taskTools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "greet", Doc: "Greets at once", Hints: mcp.ReadOnly,
			Call: mcp.Typed(func(_ context.Context, _ *mcp.Call, in greetArgs) (string, error) {
				return "Hello, " + in.Name + "!", nil
			}),
		},
		{Name: "slow_compute", Doc: "Computes for some seconds", Hints: mcp.ReadOnly, Task: mcp.TaskOptional, Call: mcp.Typed(slowCompute)},
		{
			Name: "failing_job", Doc: "Fails as a task", Hints: mcp.ReadOnly, Task: mcp.TaskRequired,
			Call: job(func(context.Context, *mcp.Call) (*mcp.Result, error) {
				return nil, mcp.ToolError(errors.New("the job failed"))
			}),
		},
		{
			Name: "protocol_error_job", Doc: "Ends with a protocol error", Hints: mcp.ReadOnly, Task: mcp.TaskRequired,
			Call: job(func(context.Context, *mcp.Call) (*mcp.Result, error) {
				return nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "the job broke")
			}),
		},
		{Name: "confirm_delete", Doc: "Asks before it pretends to delete", Task: mcp.TaskRequired, Call: mcp.Typed(confirmDelete)},
		{
			Name: "multi_input", Doc: "Asks two things at once", Hints: mcp.ReadOnly, Task: mcp.TaskRequired,
			Call: job(func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
				_, err := c.Ask(ctx, asks{"first": question("First?", "value", "string"), "second": question("Second?", "value", "string")})
				return text("Both answered."), err
			}),
		},
		{Name: "test_tool_with_task", Doc: "Asks, and then becomes a task", Hints: mcp.ReadOnly, Task: mcp.TaskRequired, Call: call(askThenWork)},
	}
}

// job is a tool all of whose work is a job.
func job(f func(ctx context.Context, c *mcp.Call) (*mcp.Result, error)) mcp.Binding {
	return call(func(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{Job: f}, nil })
}

func slowCompute(_ context.Context, _ *mcp.Call, in computeArgs) (*mcp.Result, error) {
	return &mcp.Result{Job: func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
		if err := pause(ctx, time.Duration(in.Seconds*float64(time.Second))); err != nil {
			return nil, err
		}
		return text(fmt.Sprintf("%s: computed for %g s", in.Label, in.Seconds)), nil
	}}, nil
}

func confirmDelete(_ context.Context, _ *mcp.Call, in fileArgs) (*mcp.Result, error) {
	return &mcp.Result{Job: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		answers, err := c.Ask(ctx, asks{"confirm": mcp.Form("Delete "+in.Filename+"?", json.RawMessage(
			`{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}`))})
		if err != nil {
			return nil, err
		}
		if filled(answers["confirm"], "confirm") != "true" {
			return text("Kept " + in.Filename + "."), nil
		}
		return text("Deleted " + in.Filename + "."), nil
	}}, nil
}

func askThenWork(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
	answers, err := c.Ask(ctx, asks{"user_name": askName})
	if err != nil {
		return nil, err
	}
	name := filled(answers["user_name"], "name")
	return &mcp.Result{Job: func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return text("Task done for " + name + "."), nil
	}}, nil
}
