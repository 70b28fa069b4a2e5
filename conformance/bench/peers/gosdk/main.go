// Command gosdk is a server of the official Go SDK with the tool echo, to be
// measured beside ours.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/triptych-mcp/triptych/conformance/bench/peers/peer"
)

type echoArgs struct {
	Text string `json:"text" jsonschema:"the text to echo"`
}

func echo(_ context.Context, _ *mcp.CallToolRequest, in echoArgs) (*mcp.CallToolResult, any, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
}

func main() {
	var web peer.Web
	web.Flags()
	more := flag.Int("tools", 0, "add this `number` of tools of the same kind")
	like := flag.String("like", "", "add the tools that this `file` lists, as another server has listed them")
	flag.Parse()
	if err := serve(web, *more, *like); err != nil {
		fmt.Fprintln(os.Stderr, "gosdk:", err)
		os.Exit(1)
	}
}

// imitate adds tools that look like another server's and answer nothing.
func imitate(s *mcp.Server, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var tools []*mcp.Tool
	if err := json.Unmarshal(text, &tools); err != nil {
		return err
	}
	for _, t := range tools {
		s.AddTool(t, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return new(mcp.CallToolResult), nil
		})
	}
	return nil
}

func serve(web peer.Web, more int, like string) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "gosdk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "echoes text"}, echo)
	for i := range more {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("echo%d", i), Description: "echoes text"}, echo)
	}
	if like != "" {
		if err := imitate(s, like); err != nil {
			return err
		}
	}
	if web.Listen == "" {
		return s.Run(context.Background(), &mcp.StdioTransport{})
	}
	return web.Serve(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
}
