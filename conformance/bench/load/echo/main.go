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
	"strconv"
	"syscall"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

type echoArgs struct {
	Text string `json:"text" doc:"the text to echo"`
}

func echo(_ context.Context, _ *mcp.Call, in echoArgs) (string, error) { return in.Text, nil }

// table has the tool, and so many more of the same kind.
func table(more int) *mcp.Table {
	t := &mcp.Table{Family: "echo"}
	for i := range more + 1 {
		name := "echo"
		if i > 0 {
			name += strconv.Itoa(i)
		}
		t.Tools = append(t.Tools, mcp.Tool{Name: name, Doc: "echoes text", Hints: mcp.ReadOnly, Call: mcp.Typed(echo)})
	}
	return t
}

func main() {
	listen := flag.String("listen", "", "serve HTTPS at this `address`")
	data := flag.String("data", ".", "`folder` of keys, quotas, audit trail and certificate")
	more := flag.Int("tools", 0, "add this `number` of tools of the same kind")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := serve(ctx, *listen, *data, table(*more))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, listen, data string, t *mcp.Table) error {
	if listen != "" {
		return serveHTTPS(ctx, listen, data, t)
	}
	server, err := mcp.New(mcp.Config{Name: "echo", Version: "1"}, t)
	if err != nil {
		return err
	}
	return stdio.Serve(ctx, os.Stdin, os.Stdout, server)
}
