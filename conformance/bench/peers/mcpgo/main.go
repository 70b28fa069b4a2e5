// Command mcpgo is a server of mark3labs/mcp-go with the tool echo, to be
// measured beside ours.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/triptych-mcp/triptych/conformance/bench/peers/peer"
)

// queue is the length of the request queue. The library's default of 100 makes
// it log every request beyond, which would be measured too.
const queue = 10_000

func echo(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	text, err := req.RequireString("text")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return mcp.NewToolResultText(text), nil
}

func main() {
	var web peer.Web
	web.Flags()
	flag.Parse()
	s := server.NewMCPServer("mcpgo", "1", server.WithToolCapabilities(false))
	s.AddTool(mcp.NewTool("echo", mcp.WithDescription("echoes text"),
		mcp.WithString("text", mcp.Required(), mcp.Description("the text to echo"))), echo)
	if err := serve(web, s); err != nil {
		fmt.Fprintln(os.Stderr, "mcpgo:", err)
		os.Exit(1)
	}
}

func serve(web peer.Web, s *server.MCPServer) error {
	if web.Listen == "" {
		return server.ServeStdio(s, server.WithQueueSize(queue))
	}
	return web.Serve(server.NewStreamableHTTPServer(s))
}
