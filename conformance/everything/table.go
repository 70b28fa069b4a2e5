package everything

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
)

// A fixture has what the tools share.
type fixture struct{ changes func() mcp.Changes }

// Table returns the family. changes receives its list changes.
func Table(changes func() mcp.Changes) *mcp.Table {
	f := &fixture{changes: changes}
	tools := f.plainTools()
	tools = append(tools, f.legacyTools()...)
	tools = append(tools, f.modernTools()...)
	tools = append(tools, f.taskTools()...)
	return &mcp.Table{
		Family: "everything", Changing: mcp.CapabilityTools | mcp.CapabilityPrompts | mcp.CapabilityResources, Tools: tools, Resources: f.resources(), Prompts: f.prompts(), Watch: f.watch,
	}
}

// none are the arguments of a tool that has none.
type none struct{}

// call is a handler without arguments.
func call(f func(ctx context.Context, call *mcp.Call) (*mcp.Result, error)) mcp.Binding {
	return mcp.Typed(func(ctx context.Context, c *mcp.Call, _ none) (*mcp.Result, error) { return f(ctx, c) })
}

// constant is a tool that always says the same.
func constant(items ...mcp.Content) mcp.Binding {
	return call(func(context.Context, *mcp.Call) (*mcp.Result, error) { return &mcp.Result{Content: items}, nil })
}

func text(s string) *mcp.Result { return &mcp.Result{Content: []mcp.Content{mcp.Text(s)}} }

func decoded(s string) []byte {
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err) // a constant of ours
	}
	return data
}

// A picture of one pixel, and a sound without samples.
var (
	png = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	wav = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

// pace is the time between two messages of one tool.
const pace = 50 * time.Millisecond

// pause waits, or ends early with the request.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errIntended = errors.New("This tool intentionally returns an error for testing") //nolint:staticcheck // the suite compares the text
