package servecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/dataformat"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/memory"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/snapshots"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/requestid"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// serveFlags are the flags of triptych serve alone.
type serveFlags struct {
	listen, metrics string
	cert, key       string
	plain           bool
	proxies         []string
	hosts, origins  []string
	budgets         budgetFlags
	defaultPlan     string
	drain           time.Duration
	drainDelay      time.Duration
	serverName      string
	peerURL         string
	console         string
	slow            time.Duration
	pprof           bool
	acme            acmeFlags
	set             *pflag.FlagSet // all flags of the command
	noFastPath      bool
	oidc            oidcFlags
	passed          net.Listener // by systemd
}

func (f *serveFlags) register(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.listen, "listen", "127.0.0.1:8443", "listen on this `address`")
	set.StringVar(&f.cert, "tls-cert", "", "PEM `file` of the certificate; without it one is made in tls/ of the data folder")
	set.StringVar(&f.key, "tls-key", "", "PEM `file` of its key")
	set.BoolVar(&f.plain, "plain-http", false, "serve without TLS: on loopback, or behind a --proxy")
	set.StringSliceVar(&f.proxies, "proxy", nil, "believe X-Forwarded-For of this `range` of addresses; repeatable")
	set.StringSliceVar(&f.hosts, "host", nil, "also take requests that name this `host`; repeatable")
	set.StringSliceVar(&f.origins, "origin", nil, "let pages of this `origin` call, such as https://example.com; repeatable")
	f.budgets.register(set)
	set.StringVar(&f.defaultPlan, "default-plan", "", "the `plan` of keys that are made without one, here and by triptych key create: free, developer, team; no limits unless given (TRIPTYCH_DEFAULT_PLAN)")
	set.BoolVar(&f.noFastPath, "no-http1-fast-path", false, "leave all of HTTP/1.1 to Go's net/http, which takes more of the processor")
	set.DurationVar(&f.drain, "drain", 10*time.Second, "let calls finish for so `long` when the server is told to end")
	set.DurationVar(&f.drainDelay, "drain-delay", 0, "when the server is told to end, go on for so `long` while /readyz answers 503, so that balancers look elsewhere")
	set.StringVar(&f.metrics, "metrics-listen", "", "show metrics for Prometheus at this `address`, such as 127.0.0.1:9464; without a host it is loopback")
	set.StringVar(&f.serverName, "server-name", "", "this server's `name` among those of a store, which its chain of the audit trail is found by; the name of the machine and --listen unless given (TRIPTYCH_SERVER_NAME)")
	set.StringVar(&f.peerURL, "peer-url", "", "the `URL` at which the other servers of the store reach this one, such as https://10.0.0.1:8443: calls of debugger sessions and streams go to the server that has them (TRIPTYCH_PEER_URL)")
	set.StringVar(&f.console, "console", consoleAuto, "serve pages for people at / `when`: auto (if --listen is a loopback address and there is no --proxy), always, never")
	set.DurationVar(&f.slow, "slow-call", 10*time.Second, "log calls that take longer than this `time`; 0 logs none")
	set.BoolVar(&f.pprof, "pprof", false, "serve profiles of the program at /debug/pprof/ of --metrics-listen")
	f.acme.register(set)
	f.oidc.register(set)
}

// ServeCommand returns the row of triptych serve.
func ServeCommand(a *app.App) app.Command { return commands{a}.serveCommand() }

func (a commands) serveCommand() app.Command {
	var f serveFlags
	return app.Command{
		Name: "serve", Config: true, KeepUser: true, Survives: true,
		Short: "serve clients over HTTPS at /mcp",
		Long: "Serves every revision of MCP over Streamable HTTP, and bare JSON-RPC as curl\n" +
			"sends it. Callers show a bearer key (triptych key); when there is none yet, one\n" +
			"is made and printed once, with a curl line that works. Bound to loopback unless\n" +
			"--listen says otherwise, with a self-signed certificate unless --tls-cert has one.",
		Example: "triptych serve\ntriptych serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem",
		Flags: func(set *pflag.FlagSet) {
			f.register(set)
			a.ServerFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error { return a.serve(ctx, &f) },
	}
}

// serve opens what a server needs, in the order in which each part needs the
// ones before it, and closes it in the opposite order.
func (a commands) serve(ctx context.Context, f *serveFlags) (err error) {
	env, err := a.Env(slog.LevelInfo)
	if err != nil {
		return err
	}
	memory.Limit(a.Getenv, env.Logger)
	if err := f.adopt(); err != nil {
		return err
	}
	f.peerURL = cmp.Or(f.peerURL, a.Getenv("TRIPTYCH_PEER_URL"))
	proxies, err := f.check()
	if err != nil {
		return err
	}
	plan, err := a.DefaultPlan(f.defaultPlan)
	if err != nil {
		return err
	}
	tokens, err := f.oidc.open(a)
	if err != nil {
		return err
	}
	shared := services{slow: f.slow, name: f.name(a)}
	defer func() { err = errors.Join(err, shared.close()) }()
	if err := shared.open(ctx, a, env, f.budgets.ofServer); err != nil {
		return err
	}
	if err := dataformat.Mark(env.Data, dataformat.Of(env.Data), app.ReadBuild().Version); err != nil {
		return err
	}
	authenticator := bearer.New(bearer.Config{
		Ring: shared.keys, Meter: shared.meter, Handshakes: shared.handshakes(), Proxies: proxies, Rejected: shared.recorder.RecordRejection, Refused: shared.recorder.CountRefusal,
		Tokens: tokens.tokens, Metadata: tokens.metadata(), Now: a.Now, Logger: env.Logger,
	})
	cfg := streamable.Config{
		Server: shared.server, Auth: authenticator, Loopback: f.loopback(), Hosts: f.hosts, Origins: f.origins,
		Barrier: shared.recorder.Commit, Refused: shared.recorder.RecordRefusal, Logger: env.Logger,
	}
	f.budgets.ofEndpoint(&cfg)
	certificates, err := f.certificates(env)
	if err != nil {
		return err
	}
	accept, err := f.connectPeers(&shared, &cfg, certificates)
	if err != nil {
		return err
	}
	endpoint := streamable.New(cfg)
	counted := accept(requestid.Handler(shared.recorder.Telemetry().Handler(shared.recorder.Metrics().Around(endpoint)), proxies))
	routes := map[string]http.Handler{"/mcp": counted, "/mcp/rulesets": snapshots.Handler(counted)}
	tokens.describe(routes)
	maps.Copy(routes, cardRoutes(app.PublicFacts(), f.scheme()))
	listening := https.Config{
		Certificates: certificates, Routes: routes, Proxies: proxies, WithoutFastPath: f.noFastPath,
		Hosts: f.hosts, Ready: shared.ready, Drain: endpoint.Shutdown, DrainTime: f.drain, DrainDelay: f.drainDelay,
		Logger: env.Logger.With("component", "https"),
	}
	f.budgets.ofListener(&listening)
	var web *https.Server
	began := a.Now()
	shown := a.consoleConfig(endpoint, authenticator, shared.recorder, shared.keys, env)
	shown.Plan, shown.Servers = plan, a.shareLoad(&shared, endpoint)
	pages, err := a.consoleOf(f, shown, &shared, func(ctx context.Context) []console.Fact {
		return shared.facts(ctx, a, began, endpoint, web, certificates)
	})
	if err != nil {
		return err
	}
	if pages != nil {
		listening.Pages = requestid.Handler(pages, proxies)
	}
	web = https.New(listening)
	f.budgets.show(shared.recorder.Metrics(), shared.server, endpoint, web)
	a.showLag(shared.recorder.Metrics())
	a.showDebugging(shared.recorder.Metrics())
	a.showBrokenFiles(shared.recorder.Metrics(), env.Logger)
	return a.listenAndServe(ctx, f, env, &shared, web, certificates, endpoint)
}

// listenAndServe binds the listeners, tells people where, and serves until ctx
// is done or something fails.
func (a commands) listenAndServe(ctx context.Context, f *serveFlags, env mcp.Env, h *services, web *https.Server, certificates *https.Certificates, endpoint *streamable.Handler) error {
	listener, err := f.listener(ctx)
	if err != nil {
		return err
	}
	numbers, err := f.listenMetrics(ctx)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := a.welcome(ctx, f, &app.RecordedKeys{Store: h.keys, Record: h.recorder.RecordAdministration}, certificates, listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	watch := func(name string, run func(context.Context) error) {
		beside.Go(func() {
			if err := run(ctx); err != nil && ctx.Err() == nil {
				env.Logger.Warn("part of the server ended", "component", name, "err", err)
			}
		})
	}
	again := &reloader{app: a.App, set: f.set, endpoint: endpoint, certificates: certificates, log: env.Logger}
	watch("reloading on SIGHUP", again.run)
	watch("telling systemd", func(ctx context.Context) error { return keepWatchdog(ctx, env.Logger) })
	watch("releasing memory", func(ctx context.Context) error {
		return memory.Release(ctx, func() int64 { return endpoint.BodyUsage().Used + endpoint.AnswerUsage().Used })
	})
	watch("watching the families", h.server.Run)
	watch("watching the keys", h.keys.Watch)
	if h.peers != nil {
		watch("listening to the other servers", func(ctx context.Context) error { return h.peers.Listen(ctx, endpoint.Deliver) })
	}
	if h.registry != nil { // until the last request is answered
		life, end := context.WithCancel(context.WithoutCancel(ctx))
		defer end()
		beside.Go(func() { h.registry.Run(life, env.Logger) })
	}
	watch("forgetting keys that are gone", func(ctx context.Context) error { return h.evict(ctx, endpoint, a.Now) })
	if numbers != nil {
		showExpiry(h.recorder.Metrics(), certificates)
		shown := https.New(https.Config{
			Routes: map[string]http.Handler{"/metrics": h.recorder.Metrics().Handler()}, Pages: f.profiles(), OnlyHosts: true, Hosts: f.hosts, Logger: env.Logger,
		})
		watch("showing metrics", func(ctx context.Context) error { return shown.Serve(ctx, numbers) })
	}
	notify(daemon.SdNotifyReady, env.Logger)
	defer context.AfterFunc(ctx, func() { notify(daemon.SdNotifyStopping, env.Logger) })()
	return web.Serve(ctx, listener)
}

// check refuses flags that would open the authenticator too wide.
func (f *serveFlags) check() ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for _, text := range f.proxies {
		p, err := keys.ParsePrefix(text)
		if err != nil {
			return nil, app.UsageErrorf("--proxy %s: %v", text, err)
		}
		proxies = append(proxies, p)
	}
	if f.plain && !f.loopback() && len(proxies) == 0 {
		return nil, app.WithHints(app.UsageErrorf("--plain-http sends keys in the clear to %s", f.listen),
			"serve TLS, listen on loopback, or name the proxy in front with --proxy")
	}
	if (f.cert == "") != (f.key == "") {
		return nil, app.UsageErrorf("--tls-cert and --tls-key belong together")
	}
	if f.cert != "" && len(f.acme.hosts) > 0 {
		return nil, app.UsageErrorf("give --tls-cert or --acme-host, not both")
	}
	if f.pprof && f.metrics == "" {
		return nil, app.UsageErrorf("--pprof needs --metrics-listen")
	}
	return proxies, errors.Join(f.budgets.check(), f.checkPeerURL())
}

// loopback reports whether only this machine can connect.
func (f *serveFlags) loopback() bool {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return false
	}
	return app.IsLoopback(host)
}

// scheme is the one that clients use. In front of a plain server on other than
// loopback there is a proxy, as where one is named; it speaks TLS.
func (f *serveFlags) scheme() string {
	if f.plain && f.loopback() && len(f.proxies) == 0 {
		return "http"
	}
	return "https"
}

// name returns the name of the server among those of a store.
func (f *serveFlags) name(a commands) string {
	host, _ := os.Hostname() // without one, the address must do
	return cmp.Or(f.serverName, a.Getenv("TRIPTYCH_SERVER_NAME"), host+" "+f.listen)
}

// names returns the names of the server besides those of loopback: the hosts, and the
// address that it listens on.
func (f *serveFlags) names() []string {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil || isAnywhere(host) || app.IsLoopback(host) {
		return f.hosts
	}
	return append([]string{host}, f.hosts...)
}

// reachable is an address of the listener that this machine can connect to and
// that the certificate is good for.
func (f *serveFlags) reachable(bound net.Addr) string {
	host, port, err := net.SplitHostPort(bound.String())
	switch {
	case err != nil || !isAnywhere(host):
		return bound.String()
	case len(f.hosts) > 0:
		return net.JoinHostPort(f.hosts[0], port)
	}
	return net.JoinHostPort("localhost", port)
}

// isAnywhere reports whether a listener there takes connections to any address.
func isAnywhere(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "" || err == nil && addr.IsUnspecified()
}

func (f *serveFlags) certificates(env mcp.Env) (*https.Certificates, error) {
	switch {
	case f.plain:
		return nil, nil
	case len(f.acme.hosts) > 0:
		return f.acme.certificates(filepath.Join(env.Data, "tls", "acme"), env.Logger)
	case f.cert != "":
		return https.LoadCertificates(f.cert, f.key, env.Logger)
	}
	return https.SelfSigned(filepath.Join(env.Data, "tls"), f.names(), env.Logger)
}

// listenMetrics binds the listener of the metrics, nil without --metrics-listen.
func (f *serveFlags) listenMetrics(ctx context.Context) (net.Listener, error) {
	if f.metrics == "" {
		return nil, nil
	}
	where := f.metrics
	if strings.HasPrefix(where, ":") {
		where = "127.0.0.1" + where
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", where)
	if err != nil {
		return nil, app.WithHints(err, "choose another address with --metrics-listen")
	}
	return listener, nil
}

// welcome says where the server is, and makes and prints the first key.
func (a commands) welcome(ctx context.Context, f *serveFlags, store keys.Store, certificates *https.Certificates, addr net.Addr) error {
	url := "https://" + f.reachable(addr) + "/mcp"
	if certificates == nil {
		url = "http://" + f.reachable(addr) + "/mcp"
	}
	fmt.Fprintf(a.Err, "triptych: serving %s\n", url)
	if on, _ := f.hasConsole(); on {
		fmt.Fprintf(a.Err, "triptych: pages for people at %s\n", strings.TrimSuffix(url, "mcp"))
	}
	if certificates != nil && certificates.File() != "" {
		fmt.Fprintf(a.Err, "triptych: certificate %s, SHA-256 %s\n", certificates.File(), certificates.Fingerprint())
	}
	record, token, err := store.CreateFirst(ctx, keys.Live, keys.Settings{
		Name: "first key", Plan: quota.Enterprise, Scopes: a.KeyScopes(), Own: quota.Limits{Month: 10_000_000, Minute: 60_000},
	})
	switch {
	case errors.Is(err, keys.ErrLost):
		return app.WithHints(err, "restore the store from a backup and check that it evicts no keys (triptych doctor); or start again with triptych key create")
	case err != nil:
		return fmt.Errorf("making the first key: %w", err)
	case record.ID == "":
		return nil // there are keys
	}
	fmt.Fprintf(a.Err, "triptych: there was no key yet; this is %s, and it is not shown again:\n", record.ID)
	trust := ""
	if certificates != nil && f.cert == "" && certificates.File() != "" {
		trust = " --cacert " + certificates.File()
	}
	err = a.Printf("%s\n", token.Reveal())
	fmt.Fprintf(a.Err, "triptych: try\n\ncurl%s %s \\\n  -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \\\n"+
		"  -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}'\n\n", trust, url, token.Reveal())
	if err != nil {
		return fmt.Errorf("printing the first key: %w", err)
	}
	return nil
}
