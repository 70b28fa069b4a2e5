package routes

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
	"github.com/triptych-mcp/triptych/transport/internal/hostcheck"
	"github.com/triptych-mcp/triptych/transport/requestid"
)

// A Config holds the rows of a table and the budgets that they share.
type Config struct {
	Routes []Route
	// Bodies and Answers return the memory of a caller for bodies and for answers. They
	// must be set where a route has Callers.
	Bodies, Answers func(principal string) *budget.Hold
	BodyRate        int64 // the bytes a second with which a form has to arrive; 16 KiB

	Hosts []string // for routes with KnownHosts
	// Proxies are the addresses whose X-Request-Id is believed.
	Proxies []netip.Prefix
	// Around wraps the whole table, before requests have an id; nil wraps nothing.
	Around func(http.Handler) http.Handler

	// Refused is called with every refusal of the table, and Served after every request
	// but those of routes with their own body; nil ignores them.
	Refused func(ctx context.Context, caller *host.Caller, status int, reason string)
	Served  func(route string, status int, took time.Duration)
	Logger  *slog.Logger // nil discards
}

// A Table serves requests by its rows. Make one with [New].
type Table struct {
	cfg     Config
	rows    []Route
	own     map[string]*Route // those with their own body, by path
	mux     *http.ServeMux    // of the others
	hosts   hostcheck.Hosts
	unknown *budget.Budget // bytes of forms of callers that are not known yet
	alone   alone
	handler http.Handler
}

// The bounds of forms whose senders are not known yet, of one IPv4 address or IPv6 /64 and in
// all, and of the pause before the next part of a form.
const (
	unknownEach  = 1 << 20
	unknownTotal = 8 << 20
	grace        = 5 * time.Second
)

// New returns a table. It panics on rows without limits and on rows that contradict each other.
func New(cfg Config) *Table {
	cfg.BodyRate = cmp.Or(cfg.BodyRate, 16<<10)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Refused == nil {
		cfg.Refused = func(context.Context, *host.Caller, int, string) {}
	}
	if cfg.Served == nil {
		cfg.Served = func(string, int, time.Duration) {}
	}
	t := &Table{
		cfg: cfg, own: map[string]*Route{}, mux: http.NewServeMux(),
		hosts:   hostcheck.Hosts{Loopback: true, Addresses: true, Names: cfg.Hosts},
		unknown: budget.New(budget.Limits{Owner: unknownEach, Total: unknownTotal}),
	}
	t.rows = append(t.rows, cfg.Routes...)
	for i := range t.rows {
		row := &t.rows[i]
		row.check()
		if row.Body == Own {
			t.own[row.Path] = row
			continue
		}
		t.mux.Handle(row.Pattern(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.serve(row, w, r) }))
	}
	t.handler = requestid.Handler(http.HandlerFunc(t.route), cfg.Proxies)
	if cfg.Around != nil {
		t.handler = cfg.Around(t.handler)
	}
	return t
}

// Routes returns the rows.
func (t *Table) Routes() []Route { return t.rows }

// FormUsage returns the bytes of forms whose senders are not known yet. It is for metrics.
func (t *Table) FormUsage() budget.Usage { return t.unknown.Usage() }

// ServeHTTP implements [http.Handler].
func (t *Table) ServeHTTP(w http.ResponseWriter, r *http.Request) { t.handler.ServeHTTP(w, r) }

// NoRoute is the name by which [Config.Served] gets requests that no row has.
const NoRoute = "none"

// route finds the row of a request. The path of a route with its own body is compared byte by
// byte.
func (t *Table) route(w http.ResponseWriter, r *http.Request) {
	limitUnread(w, r)
	if row := t.own[r.URL.Path]; row != nil {
		if row.KnownHosts && !t.hosts.Allows(r.Host) {
			t.refuse(row, w, r, nil, http.StatusForbidden, "this host is not served here")
		} else if hasBody(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			t.refuseBody(row, w, r)
		} else {
			row.Handler.ServeHTTP(w, r)
		}
		return
	}
	if connlimit.FromContext(r.Context()).Crowded() {
		w.Header().Set("Connection", "close") // makes room for clients with a key
	}
	began, answer := time.Now(), &answer{ResponseWriter: w}
	pattern := NoRoute
	defer func() {
		t.cfg.Served(pattern, answer.status, time.Since(began))
		t.cfg.Logger.DebugContext(r.Context(), "request", "request_id", requestid.FromContext(r.Context()), "route", pattern, "status", answer.status, "dur", time.Since(began))
	}()
	_, found := t.mux.Handler(r)
	if found == "" {
		t.unrouted(answer, r)
		return
	}
	pattern = found
	t.mux.ServeHTTP(answer, r)
}

// limitUnread limits the time for a body that a handler may leave unread: net/http reads the
// rest of a short one before it sends the answer, however slowly it arrives. A handler that
// reads the body sets deadlines of its own.
func limitUnread(w http.ResponseWriter, r *http.Request) {
	if _, buffered := r.Body.(interface{ Len() int }); r.ProtoMajor == 1 && hasBody(r) && !buffered {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(grace)) // recorders of tests have none
	}
}

// unrouted answers a request that no row has: 404, or 405 with Allow if others have the path.
func (t *Table) unrouted(w *answer, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if hasBody(r) {
		w.Header().Set("Connection", "close") // it is not read
	}
	handler, _ := t.mux.Handler(r)
	other := &answer{ResponseWriter: discard{header: http.Header{}}}
	handler.ServeHTTP(other, r)
	if allow := other.Header().Get("Allow"); other.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", allow)
		http.Error(w, "use "+allow+" here; MCP is at /mcp", http.StatusMethodNotAllowed)
		return
	}
	http.Error(w, "nothing is served here; MCP is at /mcp", http.StatusNotFound)
}

// serve serves a request of a row.
func (t *Table) serve(row *Route, w http.ResponseWriter, r *http.Request) {
	if row.KnownHosts && !t.hosts.Allows(r.Host) {
		t.refuse(row, w, r, nil, http.StatusForbidden, "this host is not served here")
		return
	}
	if hasBody(r) && (row.Body == None || r.Method == http.MethodHead) {
		t.refuseBody(row, w, r)
		return
	}
	ctx, stop := context.WithTimeout(r.Context(), row.Time)
	defer stop()
	r = r.WithContext(ctx)
	var caller *host.Caller
	if row.Callers != nil {
		var with *http.Request
		if caller, with = row.Callers.Authenticate(w, r); caller == nil {
			return
		}
		r = with
		connlimit.FromContext(r.Context()).SetKnown()
		if row.Scope != "" && !caller.Principal.Allows(row.Scope) {
			t.refuse(row, w, r, caller, http.StatusForbidden, "Your key does not have the scope "+string(row.Scope)+".")
			return
		}
	}
	release, ok := t.charge(row, w, r, caller)
	defer release()
	if !ok {
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(row.Time + writeTime)) // recorders of tests have none
	row.Handler.ServeHTTP(w, r)
}

// writeTime is the time that a client has to read the answer after the handler's time is over.
const writeTime = 30 * time.Second

// hasBody reports whether a request has a body, or may have one of a length that it does not
// state.
func hasBody(r *http.Request) bool { return r.ContentLength != 0 }

// refuseBody refuses a request that has a body and may not. It is not read.
func (t *Table) refuseBody(row *Route, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	t.refuse(row, w, r, nil, http.StatusBadRequest, "a "+r.Method+" request here has no body")
}

// refuse answers a refusal in the row's form. caller is nil if it is not known.
func (t *Table) refuse(row *Route, w http.ResponseWriter, r *http.Request, caller *host.Caller, status int, reason string) {
	if caller == nil {
		from, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero value says unknown
		caller = &host.Caller{Addr: from}
	}
	t.cfg.Refused(r.Context(), caller, status, reason)
	if row.Refuse != nil {
		row.Refuse(w, r, status, reason)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.Error(w, reason, status)
}

// An answer is a response whose status is known afterwards.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap returns the response for [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// A discard is a response that is not sent.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) WriteHeader(int)             {}
func (discard) Write(p []byte) (int, error) { return len(p), nil }
