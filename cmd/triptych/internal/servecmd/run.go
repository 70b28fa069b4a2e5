package servecmd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/memory"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// run binds the listeners, prints where they are, and serves until ctx is done or something
// fails.
func (s *server) run(ctx context.Context) error {
	listener, err := s.flags.listener(ctx)
	if err != nil {
		return err
	}
	numbers, err := s.flags.listenMetrics(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := s.welcome(ctx, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	s.logStart(listener.Addr())
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	beside := &background{ctx: ctx, s: s}
	defer beside.wg.Wait()
	defer stop()
	beside.start(numbers)
	if registry := s.services.registry; registry != nil { // until the last request is answered
		life, end := context.WithCancel(context.WithoutCancel(ctx))
		defer end()
		beside.wg.Go(func() { registry.Run(life, s.env.Logger) })
	}
	notify(daemon.SdNotifyReady, s.env.Logger)
	told := make(chan struct{})
	neverAsked := context.AfterFunc(ctx, func() {
		defer close(told)
		now := time.Now()
		s.asked.Store(&now)
		notify(daemon.SdNotifyStopping, s.env.Logger)
	})
	err = s.web.Serve(ctx, listener)
	if !neverAsked() {
		<-told // before the end is logged, which says when it was asked
	}
	return err
}

// A background runs what a server does besides serving. Its goroutines end with ctx.
type background struct {
	ctx context.Context //nolint:containedctx // of the goroutines that it owns
	s   *server
	wg  sync.WaitGroup
}

// run starts a part. Its error is logged and ends nothing else.
func (b *background) run(name string, part func(context.Context) error) {
	b.wg.Go(func() {
		if err := part(b.ctx); err != nil && b.ctx.Err() == nil {
			b.s.env.Logger.Warn("part of the server ended", "component", name, "err", err)
		}
	})
}

// start starts all parts. numbers is the listener of the metrics, nil without one.
func (b *background) start(numbers net.Listener) {
	s := b.s
	again := &reloader{app: s.app, set: s.flags.set, held: s.flags.started, endpoint: s.endpoint, certificates: s.certificates, log: s.env.Logger}
	b.run("reloading on SIGHUP", again.run)
	b.run("telling systemd", func(ctx context.Context) error { return keepWatchdog(ctx, s.env.Logger) })
	b.run("releasing memory", func(ctx context.Context) error {
		return memory.Release(ctx, func() int64 { return s.endpoint.BodyUsage().Used + s.endpoint.AnswerUsage().Used })
	})
	b.run("watching the families", s.services.server.Run)
	b.run("watching the keys", s.services.keys.Watch)
	b.run("watching the disk", s.services.disk.Run)
	if peers := s.services.peers; peers != nil {
		b.run("listening to the other servers", func(ctx context.Context) error { return peers.Listen(ctx, s.endpoint.Deliver) })
	}
	b.run("forgetting keys that are gone", func(ctx context.Context) error { return s.services.evict(ctx, s.endpoint, s.app.Now) })
	if numbers != nil {
		shown := s.metricsServer()
		b.run("showing metrics", func(ctx context.Context) error { return shown.Serve(ctx, numbers) })
	}
}

// metricsServer returns the server of the metrics and profiles.
func (s *server) metricsServer() *https.Server {
	m := s.services.recorder.Metrics()
	table := routes.Config{Routes: append([]routes.Route{
		{Method: http.MethodGet, Path: "/metrics", KnownHosts: true, Handler: m.Handler()},
	}, s.flags.profiles()...)}
	return https.New(https.Config{Routes: table, Hosts: s.flags.hosts, Logger: s.env.Logger})
}
