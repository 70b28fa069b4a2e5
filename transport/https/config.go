package https

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/triptych-mcp/triptych/transport/routes"
)

// A Config holds the handlers and the limits of a server. Zero numbers mean the defaults that
// stand with the fields.
type Config struct {
	// Certificates serve TLS; nil serves plain HTTP.
	Certificates *Certificates
	// Routes are the rows and budgets of the table that serves all requests. The server adds
	// the rows of /healthz and /readyz, and what else it knows: Hosts, Proxies, Logger.
	Routes routes.Config
	// Ready returns an error when the server cannot serve; nil means always ready. It is
	// called for each request of /readyz, which needs no key, and must be cheap. Its context
	// ends after 2 seconds.
	Ready func(context.Context) error
	// Drain ends streams and waits for running requests until its context is done. It is
	// called once, after the listener is closed; connections that are left then are closed.
	Drain func(context.Context)

	// DrainDelay is the time between the end of Serve's context and the end of the
	// listener; /readyz answers 503 then, so that balancers look elsewhere.
	DrainDelay time.Duration

	HeaderTime  time.Duration // for connecting, TLS and the head of a request; 10 s
	RequestTime time.Duration // for a whole request until its answer; 150 s
	IdleTime    time.Duration // between requests; 120 s
	DrainTime   time.Duration // for running requests when the server ends; 10 s
	MaxHeader   int           // bytes; 32 KiB
	// MaxConnections bounds the connections at one time, 10,000, and
	// MaxPerAddress those from one IPv4 address or IPv6 network of 64 bits, 1000,
	// but for those of Proxies. At a limit, idle connections make room, those of
	// clients without a good key first.
	MaxConnections, MaxPerAddress int
	Proxies                       []netip.Prefix
	// BufferMemory bounds the bytes that are buffered of short requests before their
	// senders are known, from one address, 8 MiB, and BufferMemoryTotal from all,
	// 32 MiB. Beyond them requests go through net/http.
	BufferMemory, BufferMemoryTotal int64
	// Hosts are the names besides those of loopback and IP addresses by which routes with
	// KnownHosts are served.
	Hosts []string
	// WithoutFastPath leaves all of HTTP/1.1 to net/http.
	WithoutFastPath bool
	Logger          *slog.Logger // nil discards
}

// withDefaults returns the configuration with the default in each field that is zero.
func (c Config) withDefaults() Config {
	c.HeaderTime = cmp.Or(c.HeaderTime, 10*time.Second)
	c.RequestTime = cmp.Or(c.RequestTime, 150*time.Second)
	c.IdleTime = cmp.Or(c.IdleTime, 2*time.Minute)
	c.DrainTime = cmp.Or(c.DrainTime, 10*time.Second)
	c.MaxHeader = cmp.Or(c.MaxHeader, 32<<10)
	c.MaxConnections = cmp.Or(c.MaxConnections, 10_000)
	c.MaxPerAddress = cmp.Or(c.MaxPerAddress, 1000)
	c.BufferMemory = cmp.Or(c.BufferMemory, 8<<20)
	c.BufferMemoryTotal = cmp.Or(c.BufferMemoryTotal, 32<<20)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
