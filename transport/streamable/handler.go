package streamable

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
	"github.com/triptych-mcp/triptych/transport/internal/hostcheck"
)

// A Handler is the MCP endpoint. Make one with [New].
type Handler struct {
	cfg        Config
	sessions   sessions
	bodies     *budget.Budget // bytes of bodies
	answers    *budget.Budget // bytes of answers and messages that clients have not read
	streams    *budget.Budget // open streams
	parked     parked
	hosts      hostcheck.Hosts
	principals principals

	mu      sync.Mutex
	closed  bool
	listens map[*exchange]struct{} // streams that only the server or the client ends
	running running                // handlers, but for listens
}

// New returns the endpoint. It starts nothing.
func New(cfg Config) *Handler {
	h := &Handler{cfg: cfg.withDefaults(), listens: map[*exchange]struct{}{}}
	h.bodies = budget.New(budget.Limits{Owner: h.cfg.BodyMemory, Total: h.cfg.BodyMemoryTotal})
	h.answers = budget.New(budget.Limits{Owner: h.cfg.AnswerMemory, Total: h.cfg.AnswerMemoryTotal})
	h.streams = budget.New(budget.Limits{Owner: int64(h.cfg.MaxStreams), Total: int64(h.cfg.MaxStreamsTotal)})
	h.hosts = hostcheck.Hosts{Loopback: h.cfg.Loopback, Names: h.cfg.Hosts}
	h.parked.init()
	h.sessions.init(h)
	h.principals.init()
	return h
}

// Shutdown takes nothing new, ends listens and the sessions' own streams, lets
// what runs finish until ctx is done, then cancels it and ends the sessions.
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

// cancelGrace is how long cancelled handlers get to notice.
const cancelGrace = time.Second

// run runs the handlers of an exchange beside the caller, unless the endpoint is
// closed.
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

// ServeHTTP answers one HTTP request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["X-Content-Type-Options"] = noSniff
	if refused := h.checkHost(r); refused != nil {
		h.refuse(w, refused)
		return
	}
	if h.cors(header, r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	caller, refused := h.cfg.Auth.Authenticate(header, r)
	if refused != nil {
		h.refuse(w, refused)
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

// otherwise refuses a verb that nothing is done with.
func (h *Handler) refuseMethod(w http.ResponseWriter, r *http.Request, caller mcp.Caller) {
	w.Header().Set("Allow", "POST, GET, DELETE")
	h.refuseCaller(w, r, &caller, invalid(http.StatusMethodNotAllowed, "use POST; GET and DELETE are for sessions"))
}

var (
	noSniff         = []string{"nosniff"}
	applicationJSON = []string{"application/json"}
)

// headerVersion is the revision that the headers name: none, one of ours, or
// one that nobody knows.
func headerVersion(r *http.Request) (rev *mcp.Revision, unknown string) {
	name := strings.TrimSpace(first(r.Header["Mcp-Protocol-Version"]))
	if name == "" {
		return nil, ""
	}
	if rev = mcp.RevisionNamed(name); rev == nil {
		return nil, name
	}
	return rev, ""
}

// first is the value of a field that is there once, "" when it is not there. The
// fields of every request are looked up by their canonical names, which Get would
// make canonical again.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// refuseCaller refuses a request of a caller who was let in.
func (h *Handler) refuseCaller(w http.ResponseWriter, r *http.Request, caller *mcp.Caller, refused *Refusal) {
	h.showQuota(w, r, caller)
	h.refuse(w, refused)
}

// show sets the headers that tell a caller what is left of its quota.
func (h *Handler) showQuota(w http.ResponseWriter, r *http.Request, caller *mcp.Caller) {
	_ = h.cfg.Auth.Charge(r.Context(), w.Header(), caller, mcp.BaselineRevision(), Bill{}) // nothing is asked for
}

// breaks counts a body that is refused, and shows what is left of the quota.
func (h *Handler) chargeInvalid(w http.ResponseWriter, r *http.Request, caller *mcp.Caller) {
	_ = h.cfg.Auth.Charge(r.Context(), w.Header(), caller, mcp.BaselineRevision(), Bill{Broken: 1}) // it is refused already
}

// refuse answers a request whose message was not looked at, or has no id.
func (h *Handler) refuse(w http.ResponseWriter, refused *Refusal) {
	h.refuseFor(w, refused, jsonrpc.ID{}, true)
}

// refuseFor answers with the id of the message. Without one, the answer has a
// null, or no id where the client's revision has no null.
func (h *Handler) refuseFor(w http.ResponseWriter, refused *Refusal, id jsonrpc.ID, nullID bool) {
	_ = writeJSON(w, refused.Status, jsonrpc.AppendError(nil, id, nullID, refused.Error)) // a client that is gone needs no answer
}

func writeJSON(w http.ResponseWriter, status int, body []byte) error {
	header := w.Header()
	header["Content-Type"] = applicationJSON
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}
