package servecmd

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/dataformat"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/memory"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/oauth"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A server is one run of triptych serve. Its fields are set in this order, each by a method
// that needs the ones before it.
type server struct {
	commands
	flags    *serveFlags
	began    time.Time
	env      host.Env
	proxies  []netip.Prefix
	plan     quota.Plan // of keys that are made without one
	tokens   issuerServices
	services services

	certificates *https.Certificates // nil with --plain-http
	auth         *bearer.Authenticator
	login        *oauth.Server // nil without one
	endpoint     *streamable.Handler
	around       func(http.Handler) http.Handler // accepts what other servers pass on
	web          *https.Server

	started bool                       // it listens, or has
	asked   *atomic.Pointer[time.Time] // when it was told to end
}

// serve opens what a server needs, runs it until ctx is done, and closes it in the opposite
// order.
func (a commands) serve(ctx context.Context, f *serveFlags) (err error) {
	s := &server{commands: a, flags: f, began: a.app.Now(), services: services{slow: f.slow}, asked: new(atomic.Pointer[time.Time])}
	f.started = settingsOf(f.set)
	if err := s.readSettings(); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, s.services.close())
		s.logEnd(ctx, err)
	}()
	if err := s.openServices(ctx); err != nil {
		return err
	}
	mcpHandler, err := s.openEndpoint()
	if err != nil {
		return err
	}
	if err := s.openWeb(mcpHandler); err != nil {
		return err
	}
	s.showMetrics()
	return s.run(ctx)
}

// readSettings reads and checks the flags and the environment. It opens nothing.
func (s *server) readSettings() (err error) {
	if s.env, err = s.app.Env(slog.LevelInfo); err != nil {
		return err
	}
	memory.Limit(s.app.Getenv, s.env.Logger)
	if err := s.flags.adopt(); err != nil {
		return err
	}
	s.flags.peerURL = cmp.Or(s.flags.peerURL, s.app.Getenv("TRIPTYCH_PEER_URL"))
	if s.proxies, err = s.flags.check(); err != nil {
		return err
	}
	if s.plan, err = s.app.DefaultPlan(s.flags.defaultPlan); err != nil {
		return err
	}
	s.tokens, err = s.flags.oidc.open(s.commands)
	return err
}

// openServices opens the stores, the trail and the families, and marks the data folder.
func (s *server) openServices(ctx context.Context) error {
	s.services.name = s.flags.name(s.commands)
	if err := s.services.open(ctx, s.commands, s.env, s.flags.budgets.ofServer); err != nil {
		return err
	}
	return dataformat.Mark(s.env.Data, buildinfo.Read().Version)
}

// openEndpoint makes the endpoint of MCP and connects it with the other servers of the store.
// It returns the handler to serve.
func (s *server) openEndpoint() (http.Handler, error) {
	recorder := s.services.recorder
	logsIn := s.oauthOn()
	cfgAuth := bearer.Config{
		Ring: s.services.keys, Get: s.services.keys.Get, Meter: s.services.meter, Handshakes: s.services.handshakes(), Proxies: s.proxies,
		Rejected: recorder.RecordRejection, Refused: recorder.CountRefusal,
		Tokens: s.tokens.tokens, Metadata: s.tokens.metadata(), Scopes: s.tokens.scopes(), Now: s.app.Now, Logger: s.env.Logger,
	}
	if logsIn {
		cfgAuth.Resource = func(r *http.Request) string { return s.resource(r).String() }
	}
	s.auth = bearer.New(cfgAuth)
	if logsIn {
		s.login = s.openLogin()
	}
	cfg := streamable.Config{
		Server: s.services.server, Auth: s.auth, Loopback: s.flags.loopback(), Hosts: s.flags.hosts, Origins: s.flags.origins,
		Barrier: recorder.Commit, Refused: recorder.RecordRefusal, Logger: s.env.Logger,
	}
	s.flags.budgets.ofEndpoint(&cfg)
	var err error
	if s.certificates, err = s.flags.certificates(s.env); err != nil {
		return nil, err
	}
	accept, err := s.flags.connectPeers(&s.services, &cfg, s.certificates)
	if err != nil {
		return nil, err
	}
	s.endpoint = streamable.New(cfg)
	counted := recorder.Telemetry().Handler(recorder.Metrics().Around(s.endpoint))
	s.around = accept
	return counted, nil
}

// openWeb makes the HTTPS server of the endpoint, the documents and the console.
func (s *server) openWeb(endpoint http.Handler) error {
	table, err := s.table(endpoint)
	if err != nil {
		return err
	}
	cfg := https.Config{
		Certificates: s.certificates, Routes: table, Proxies: s.proxies, WithoutFastPath: s.flags.noFastPath,
		Hosts: s.flags.hosts, Ready: s.services.ready, Drain: s.endpoint.Shutdown, DrainTime: s.flags.drain, DrainDelay: s.flags.drainDelay,
		Logger: s.env.Logger.With("component", "https"),
	}
	s.flags.budgets.ofListener(&cfg)
	s.web = https.New(cfg)
	return nil
}

// showMetrics adds what is read with the metrics to them.
func (s *server) showMetrics() {
	m := s.services.recorder.Metrics()
	s.flags.budgets.show(m, s.services.server, s.endpoint, s.web)
	for _, row := range s.web.Routes() {
		if row.Body != routes.Own {
			m.AddRoute(row.Pattern())
		}
	}
	m.AddRoute(routes.NoRoute)
	for cause, code := range bearer.Causes() {
		m.AddRefusal(string(cause), code)
	}
	for cause, codes := range recorder.Refusals() {
		for _, code := range codes {
			m.AddRefusal(cause, code)
		}
	}
	s.services.server.EventKinds(m.AddRequest)
	for _, step := range audit.Steps {
		m.AddAuditIO(step)
	}
	showExpiry(m, s.certificates)
	s.showLag(m)
	showDisk(m, s.services.disk)
	s.showDebugging(m)
	s.showBrokenFiles(m, s.env.Logger)
}
