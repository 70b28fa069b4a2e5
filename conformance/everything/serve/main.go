// Command serve serves package everything over plain HTTP on loopback, to
// any client: it is for test suites that cannot authenticate.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"

	"github.com/triptych-mcp/triptych/conformance/everything"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "`address` to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop was called
	}
}

func serve(ctx context.Context, listen string) error {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	var server *mcp.Server
	server, err := mcp.New(mcp.Config{Name: "everything", Version: "1.0.0", Logger: log},
		everything.Table(func() mcp.Changes { return server.Changes() }))
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Printf("http://localhost:%d/mcp\n", listener.Addr().(*net.TCPAddr).Port)
	go func() { _ = server.Run(ctx) }() // it ends with ctx
	endpoint := streamable.New(streamable.Config{Server: server, Auth: streamable.Open(), Loopback: true, Logger: log})
	web := https.New(https.Config{Routes: routes.Config{Routes: []routes.Route{{Path: "/mcp", Body: routes.Own, Handler: endpoint}}}, Drain: endpoint.Shutdown, Logger: log})
	return web.Serve(ctx, listener)
}
