package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// serveHTTPS serves with all that a real server has at its door.
func serveHTTPS(ctx context.Context, listen, data string, t *mcp.Table) (err error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ring, err := keys.OpenFile(filepath.Join(data, "keys"), log, time.Now, t.Scopes()...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ring.Close()) }()
	meter, err := quota.OpenLocal(ctx, filepath.Join(data, "quota"), log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, meter.Close()) }()
	trail := audit.New(audit.Config{Dir: filepath.Join(data, "audit"), Logger: log})
	defer func() { err = errors.Join(err, trail.Close()) }()
	var last atomic.Uint64
	server, err := mcp.New(mcp.Config{Name: "echo", Version: "1", Observe: func(_ context.Context, e *host.Event) error {
		seq, err := trail.Append(audit.Record{
			Time: e.Started, Key: e.Caller.Principal.ID, Method: e.Method, Target: e.Target, Outcome: audit.OK, Duration: e.Took,
		})
		last.Store(seq)
		return err
	}}, t)
	if err != nil {
		return err
	}
	certificates, err := https.SelfSigned(filepath.Join(data, "tls"), nil, log)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	endpoint := streamable.New(streamable.Config{
		Server: server, Auth: bearer.New(bearer.Config{Ring: ring, Meter: meter, Logger: log}), Loopback: true,
		Barrier: func(ctx context.Context) error { return trail.Write(ctx, last.Load()) }, Logger: log, // an echo is a look-up
	})
	web := https.New(https.Config{
		Certificates: certificates, Routes: routes.Config{Routes: []routes.Route{{Path: "/mcp", Body: routes.Own, Handler: endpoint}}}, Drain: endpoint.Shutdown, Logger: log,
	})
	return web.Serve(ctx, listener)
}
