// Command gosdk is a server of the official Go SDK with the tool echo, to be
// measured beside ours.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/triptych-mcp/triptych/conformance/peers/peer"
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
	more := flag.Int("tools", 0, "so many more tools of the same kind")
	flag.Parse()
	if err := serve(web, *more); err != nil {
		fmt.Fprintln(os.Stderr, "gosdk:", err)
		os.Exit(1)
	}
}

func serve(web peer.Web, more int) error {
	s := mcp.NewServer(&mcp.Implementation{Name: "gosdk", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "echoes text"}, echo)
	for i := range more {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("echo%d", i), Description: "echoes text"}, echo)
	}
	if web.Listen == "" {
		return s.Run(context.Background(), &mcp.StdioTransport{})
	}
	return web.Serve(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
}
