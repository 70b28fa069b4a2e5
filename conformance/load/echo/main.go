// Command echo is the smallest server of the public packages: one tool that
// gives back its text. Load drivers measure it beside servers that do the same.
//
//	echo                                # over standard input and output
//	echo -listen ADDRESS -data FOLDER   # over HTTPS, with the keys, the quotas
//	                                    # and the audit trail of the folder
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

type echoArgs struct {
	Text string `json:"text" doc:"the text to echo"`
}

func echo(_ context.Context, _ *mcp.Call, in echoArgs) (string, error) { return in.Text, nil }

func table() *mcp.Table {
	return &mcp.Table{
		Family: "echo",
		Tools:  []mcp.Tool{{Name: "echo", Doc: "echoes text", Hints: mcp.ReadOnly, Call: mcp.Typed(echo)}},
	}
}

func main() {
	listen := flag.String("listen", "", "serve HTTPS at this `address`")
	data := flag.String("data", ".", "`folder` of keys, quotas, audit trail and certificate")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, *listen, *data)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, listen, data string) error {
	if listen != "" {
		return serveHTTPS(ctx, listen, data)
	}
	server, err := mcp.New(mcp.Config{Name: "echo", Version: "1"}, table())
	if err != nil {
		return err
	}
	return stdio.Serve(ctx, os.Stdin, os.Stdout, server)
}
