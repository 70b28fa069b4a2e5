package console

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// AdminScope is the right to see and manage the server: its keys, its sessions and the
// whole audit trail.
const AdminScope host.Scope = "server:admin"

// A Config holds the parts of a server that the console shows. A part that is nil has
// no page.
type Config struct {
	Version string
	// Endpoint is the MCP endpoint; requests are made with the key of the session.
	Endpoint http.Handler
	Auth     Authenticator
	// Secure says that browsers reach the console over TLS.
	Secure bool

	// Keys returns the store of keys; its changes are recorded as those of the caller.
	Keys func(by host.Caller) keys.Store
	// Scopes are the scopes that a key may have.
	Scopes []host.Scope
	// Plan is the one that the form of a new key suggests.
	Plan  quota.Plan
	Meter quota.Meter
	// LastUse returns when a key was used last, zero if not since the server started.
	LastUse func(id string) time.Time

	// Render returns Markdown as HTML without anything that a browser runs, or why it
	// cannot be; nil shows texts as they are.
	Render func(ctx context.Context, text string) (string, error)

	// Consumers says that the endpoint records who has which revision of rulesets.
	Consumers bool

	Trail Trail
	// Exported returns the form of a record in JSON.
	Exported  func(r audit.Record) any
	Book      *aoc.Book
	Sessions  func() []streamable.SessionInfo
	Debugging func(ctx context.Context) []debugger.SessionInfo
	// Servers lists the servers of the store; nil where there is one alone.
	Servers func(ctx context.Context) ([]Server, error)
	Health  func(ctx context.Context) []Fact

	Now    func() time.Time // nil means [time.Now]
	Logger *slog.Logger     // nil discards
}

// An Authenticator finds the caller of a request by its Authorization header, and charges
// calls to the quota of callers.
type Authenticator interface {
	Authenticate(header http.Header, r *http.Request) (host.Caller, *streamable.Refusal)
	Charge(ctx context.Context, header http.Header, caller *host.Caller, rev *host.Revision, bill streamable.Bill) *streamable.Refusal
}

// A Trail is the audit trail.
type Trail interface {
	Query(ctx context.Context, f audit.Filter) iter.Seq2[audit.Record, error]
	Verify(ctx context.Context) (audit.Report, error)
}

// A Fact is a line of the overview.
type Fact struct {
	Name, Value string
	Bad         bool // it needs attention
}

// A Console serves the pages. Make one with [New].
type Console struct {
	cfg      Config
	rows     []routes.Route
	pages    pages
	sessions sessions
	links    links
	refused  refusedCount
}

// New returns a console. It starts nothing.
func New(cfg Config) *Console {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Console{cfg: cfg, pages: parsePages()}
	c.sessions.init(cfg.Now)
	c.links.init(cfg.Now)
	c.rows = c.routes()
	return c
}

// The scopes of the families whose data the console shows.
const (
	readRules    host.Scope = "rulesets:read"
	proposeRules host.Scope = "rulesets:propose"
	writeRules   host.Scope = "rulesets:write"
	adminRules   host.Scope = "rulesets:admin"
	readSpeeds   host.Scope = "aoc:read"
	readAudit    host.Scope = "audit:read"
)

// A place is an entry of the navigation.
type place struct {
	Path, Title, Icon string
	Here              bool
}

// navigation lists the pages that the visitor may open.
var navigation = []place{
	{Path: "/", Title: "Overview", Icon: "overview"},
	{Path: "/rules", Title: "Rules", Icon: "rules"},
	{Path: "/proposals", Title: "Proposals", Icon: "proposals"},
	{Path: "/behind", Title: "Who is behind", Icon: "behind"},
	{Path: "/speeds", Title: "Speeds", Icon: "speeds"},
	{Path: "/keys", Title: "Keys", Icon: "keys"},
	{Path: "/audit", Title: "Audit", Icon: "audit"},
	{Path: "/sessions", Title: "Sessions", Icon: "sessions"},
	{Path: "/debugger", Title: "Debugger", Icon: "debugger"},
}

// headers lists the headers of every answer.
var headers = map[string]string{
	"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	"Cache-Control":                "no-store",
}
