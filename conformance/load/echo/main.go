// Command echo is the smallest server of the public packages: one tool that
// gives back its text. Load drivers measure it beside servers that do the same.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

type echoArgs struct {
	Text string `json:"text" doc:"the text to echo"`
}

func echo(_ context.Context, _ *mcp.Call, in echoArgs) (string, error) { return in.Text, nil }

func main() {
	server, err := mcp.New(mcp.Config{Name: "echo", Version: "1"}, &mcp.Table{
		Family: "echo",
		Tools:  []mcp.Tool{{Name: "echo", Doc: "echoes text", Hints: mcp.ReadOnly, Call: mcp.Typed(echo)}},
	})
	if err == nil {
		err = stdio.Serve(context.Background(), os.Stdin, os.Stdout, server)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}
