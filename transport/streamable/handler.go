package streamable

import (
	"context"
	"math"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
	"github.com/triptych-mcp/triptych/transport/internal/hostcheck"
	"github.com/triptych-mcp/triptych/transport/internal/pressure"
)

// A Handler is the MCP endpoint, an [http.Handler] for one path. Make one with [New], and call
// [Handler.Shutdown] in the end. Its methods may be called from any goroutine.
type Handler struct {
	cfg        Config
	sessions   sessions
	bodies     *budget.Budget // bytes of bodies
	answers    *budget.Budget // bytes of answers and messages that clients have not read
	streams    *budget.Budget // open streams
	requests   *budget.Budget // running requests
	forwards   *budget.Budget // requests that are passed on to other servers
	gate       *pressure.Gate
	parked     parked
	hosts      hostcheck.Hosts
	principals principals

	// The limits of the configuration that are in texts or compared with; SetLimits changes
	// them.
	maxBody, maxSessions, bodyMemory, answerMemory atomic.Int64

	mu      sync.Mutex
	closed  bool
	listens map[*exchange]struct{} // open listen requests
	running running                // requests that run, without listens
}

// New returns the endpoint. It starts nothing. Config.Server and Config.Auth must be set; the
// server must outlive the endpoint, which ends sessions of it. Shutdown must be called, or the
// timers of sessions go on.
func New(cfg Config) *Handler {
	h := &Handler{cfg: cfg.withDefaults(), listens: map[*exchange]struct{}{}}
	h.bodies = budget.New(budget.Limits{Owner: h.cfg.BodyMemory, Total: h.cfg.BodyMemoryTotal})
	h.answers = budget.New(budget.Limits{Owner: h.cfg.AnswerMemory, Total: h.cfg.AnswerMemoryTotal})
	h.streams = budget.New(budget.Limits{Owner: int64(h.cfg.MaxStreams), Total: int64(h.cfg.MaxStreamsTotal)})
	h.storeLimits(&h.cfg)
	h.hosts = hostcheck.Hosts{Loopback: h.cfg.Loopback, Names: h.cfg.Hosts}
	h.requests = budget.New(budget.Limits{Owner: math.MaxInt64, Total: math.MaxInt64})
	h.forwards = budget.New(budget.Limits{Owner: maxForwards, Total: maxForwardsTotal})
	h.gate = pressure.New()
	h.parked.init()
	h.sessions.init(h)
	h.principals.init()
	return h
}

// Shutdown refuses new requests with 503, ends listens and the sessions' own streams, waits
// for running requests until ctx is done, then cancels them and ends the sessions; their
// handlers have another second. An HTTP server's own Shutdown waits for streams that only this
// one ends, so the two run at the same time. The sessions of other servers go on there.
func (h *Handler) Shutdown(ctx context.Context) {
	h.mu.Lock()
	h.closed = true
	open := h.listens
	h.listens = map[*exchange]struct{}{}
	h.mu.Unlock()
	for e := range open {
		e.endListen()
	}
	for _, s := range h.sessions.all(true) {
		_ = s.own.finish(nil) // it takes no memory
	}
	h.running.wait(ctx)
	for _, s := range h.sessions.all(true) {
		if h.sessions.remove(s) {
			s.end()
		}
	}
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelGrace)
	defer stop()
	h.running.wait(last)
}

// cancelGrace is the time that Shutdown gives handlers after it cancelled them. One that
// ignores its context is left behind.
const cancelGrace = time.Second

// run runs the requests of an exchange on a goroutine of their own, for which Shutdown waits.
// It reports false when the endpoint is closed; then the caller refuses the requests.
func (h *Handler) run(e *exchange) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.running.add()
	go e.work()
	return true
}

// ServeHTTP answers one HTTP request. Host and Origin come before the credentials, so
// that a web page learns nothing by trying keys, and a preflight, which browsers send
// without credentials, needs none.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["X-Content-Type-Options"] = noSniff
	if refused := h.checkHost(r); refused != nil {
		from, _ := netip.ParseAddrPort(r.RemoteAddr) // the zero value says unknown
		h.refuse(r.Context(), w, &host.Caller{Addr: from}, refused)
		return
	}
	if h.cors(header, r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	caller, refused := h.cfg.Auth.Authenticate(header, r)
	if refused != nil {
		h.refuse(r.Context(), w, &caller, refused)
		return
	}
	connlimit.FromContext(r.Context()).SetKnown()
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, caller)
	case http.MethodGet:
		h.get(w, r, caller)
	case http.MethodDelete:
		h.delete(w, r, caller)
	default:
		h.refuseMethod(w, r, caller)
	}
}

// refuseMethod refuses a method other than POST, GET and DELETE, with the Allow that RFC
// 9110, section 15.5.6, demands.
func (h *Handler) refuseMethod(w http.ResponseWriter, r *http.Request, caller host.Caller) {
	w.Header().Set("Allow", "POST, GET, DELETE")
	h.refuseCaller(w, r, &caller, invalid(http.StatusMethodNotAllowed, "use POST; GET and DELETE are for sessions"))
}

// admits returns a function that reports whether the reader of a stream is still
// authenticated. The stream calls it each time before it sends more, so that revoking a key
// ends its streams within one KeepAlive.
func (h *Handler) admits(ctx context.Context, caller *host.Caller) func() bool {
	return func() bool { return h.cfg.Auth.Valid(ctx, caller) }
}
