package https

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/triptych-mcp/triptych/transport/routes"
)

// An Endpoint is a handler whose streams end with Shutdown, as those of package
// streamable do.
type Endpoint interface {
	http.Handler
	Shutdown(ctx context.Context)
}

// ListenAndServe listens on an address, such as 127.0.0.1:8443, and serves an endpoint there at
// /mcp until ctx is done. The folder has the certificate, which [SelfSigned] makes if there is
// none. It returns nil when it has ended after ctx, else why it failed. See [Serve].
func ListenAndServe(ctx context.Context, address, folder string, endpoint Endpoint) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return Serve(ctx, listener, folder, endpoint)
}

// Serve is [ListenAndServe] with a listener, which it closes. The limits are the defaults, and it
// logs to [slog.Default]. When ctx is done, it waits for running requests as [Server.Serve] does.
// A program that needs more uses [New].
func Serve(ctx context.Context, listener net.Listener, folder string, endpoint Endpoint) error {
	certificates, err := SelfSigned(folder, nil, slog.Default())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	mcp := routes.Route{Path: "/mcp", Body: routes.Own, Handler: endpoint}
	return New(Config{
		Certificates: certificates, Routes: routes.Config{Routes: []routes.Route{mcp}}, Drain: endpoint.Shutdown, Logger: slog.Default(),
	}).Serve(ctx, listener)
}
