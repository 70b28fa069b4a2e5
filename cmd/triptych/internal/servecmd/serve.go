package servecmd

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/transport/keys"
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
	registry        string
	publicSkills    string
	slow            time.Duration
	pprof           bool
	acme            acmeFlags
	set             *pflag.FlagSet // all flags of the command
	started         settings       // their values at the start, as the configuration file had them
	noFastPath      bool
	oidc            oidcFlags
	oauth           oauthFlags
	passed          net.Listener // by systemd
}

func (f *serveFlags) register(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.listen, "listen", "127.0.0.1:8443", "listen at this `address`")
	set.StringVar(&f.cert, "tls-cert", "", "the certificate, a PEM `file`\ndefault: a self-signed one, in tls/ of the data folder")
	set.StringVar(&f.key, "tls-key", "", "the key of the certificate, a PEM `file`")
	f.acme.register(set)
	set.BoolVar(&f.plain, "plain-http", false, "serve without TLS: on loopback, or behind a --proxy")
	set.StringSliceVar(&f.proxies, "proxy", nil, "believe X-Forwarded-For of this `range` of addresses; repeatable")
	set.StringSliceVar(&f.hosts, "host", nil, "also take requests that name this `host`; repeatable")
	set.StringSliceVar(&f.origins, "origin", nil, "let web pages of this `origin` call, such as https://example.com; repeatable")
	set.StringVar(&f.console, "console", consoleAuto, "serve the pages for people: `auto|always|never`\nWith auto they are at / if --listen is a loopback address and there is no --proxy.")
	set.StringVar(&f.defaultPlan, "default-plan", "", "the plan of keys that are made without one: `free|developer|team` (TRIPTYCH_DEFAULT_PLAN)\ndefault: no limits\nIt is that of keys made by the server and by triptych key create.")
	set.StringVar(&f.metrics, "metrics-listen", "", "show metrics for Prometheus at this `address`, such as 127.0.0.1:9464\nWithout a host it is loopback.")
	f.oidc.register(set)
	f.oauth.register(set)
	command.InGroup(set, command.GroupServer, func(set *pflag.FlagSet) {
		set.StringVar(&f.serverName, "server-name", "", "this server's `name` among those of a store (TRIPTYCH_SERVER_NAME)\ndefault: the name of the machine and --listen\nIts chain of the audit trail has this name.")
		set.StringVar(&f.peerURL, "peer-url", "", "the other servers of the store reach this one at this `url` (TRIPTYCH_PEER_URL)\nIt is one such as https://10.0.0.1:8443. Calls of debugger sessions and streams go to the server that has them.")
		set.StringVar(&f.registry, "registry", "", "also serve the MCP servers of this JSON `file` as a registry\nIt is for hosts that start no others. This server is in it, too.")
		set.StringVar(&f.publicSkills, "public-skills", "", "let everybody, without a key, install the skills that have this `label`\nThey are at /.well-known/agent-skills, also the versions that had the label before.")
		set.DurationVar(&f.drain, "drain", 10*time.Second, "let calls finish for this `duration` when the server is told to end")
		set.DurationVar(&f.drainDelay, "drain-delay", 0, "go on for this `duration` while /readyz answers 503, when told to end\nBalancers then send requests elsewhere.")
		set.DurationVar(&f.slow, "slow-call", 10*time.Second, "log calls that take longer than this `duration`; 0 logs none")
		set.BoolVar(&f.pprof, "pprof", false, "serve profiles of the program at /debug/pprof/ of --metrics-listen")
		set.BoolVar(&f.noFastPath, "no-http1-fast-path", false, "leave all of HTTP/1.1 to Go's net/http, which takes more of the processor")
		f.acme.registerAuthority(set)
	})
	command.InGroup(set, command.GroupLogin, func(set *pflag.FlagSet) {
		f.oidc.registerRest(set)
		f.oauth.registerRest(set)
	})
	command.InGroup(set, command.GroupLimits, f.budgets.register)
}

// ServeCommand returns the row of triptych serve.
func ServeCommand(a *app.App) command.Command { return newCommands(a).serveCommand() }

func (a commands) serveCommand() command.Command {
	var f serveFlags
	return command.Command{
		Name: "serve", Config: true, KeepUser: true, Survives: true,
		Short: "serve clients over HTTPS at /mcp",
		Long: "Serves every revision of MCP over Streamable HTTP, and bare JSON-RPC as curl\n" +
			"sends it. Callers show a bearer key (triptych key); when there is none yet, one\n" +
			"is made: at a terminal it is printed once, elsewhere it is in the file\n" +
			"keys/first-key of the data folder (triptych key first). Bound to loopback unless\n" +
			"--listen says otherwise, with a self-signed certificate unless --tls-cert has one.",
		Example: "triptych serve\ntriptych serve --listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem",
		Flags: func(set *pflag.FlagSet) {
			f.register(set)
			a.app.ServerFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error { return a.serve(ctx, &f) },
	}
}

// check refuses flags that would open the authenticator too wide.
func (f *serveFlags) check() ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for _, text := range f.proxies {
		p, err := keys.ParsePrefix(text)
		if err != nil {
			return nil, cmderr.UsageErrorf("--proxy %s: %v", text, err)
		}
		proxies = append(proxies, p)
	}
	if f.plain && !f.loopback() && len(proxies) == 0 {
		return nil, cmderr.WithHints(cmderr.UsageErrorf("--plain-http sends keys in the clear to %s", f.listen),
			"serve TLS, listen on loopback, or name the proxy in front with --proxy")
	}
	if (f.cert == "") != (f.key == "") {
		return nil, cmderr.UsageErrorf("--tls-cert and --tls-key belong together")
	}
	if f.cert != "" && len(f.acme.hosts) > 0 {
		return nil, cmderr.UsageErrorf("give --tls-cert or --acme-host, not both")
	}
	if f.pprof && f.metrics == "" {
		return nil, cmderr.UsageErrorf("--pprof needs --metrics-listen")
	}
	return proxies, errors.Join(f.budgets.check(), f.checkPeerURL(), f.oauth.check())
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
	return cmp.Or(f.serverName, a.app.Getenv("TRIPTYCH_SERVER_NAME"), host+" "+f.listen)
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
