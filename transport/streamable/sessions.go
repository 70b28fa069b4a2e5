package streamable

import (
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// newSessionID returns 130 random bits in visible ASCII.
func newSessionID() string { return rand.Text() }

// sessions holds the open sessions, by id.
type sessions struct {
	h *Handler

	mu     sync.Mutex
	closed bool
	by     map[string]*session
	count  *budget.Budget
}

// init makes the table for the limits of a handler.
func (all *sessions) init(h *Handler) {
	all.h, all.by = h, map[string]*session{}
	all.count = budget.New(budget.Limits{Owner: int64(h.cfg.MaxSessions), Total: int64(h.cfg.MaxSessionsTotal)})
}

// start begins the session of an initialize that negotiated a revision with sessions,
// and sets the header with its id.
func (all *sessions) start(header http.Header, e *exchange) {
	settled := e.to.caller.Session
	if !settled.Revision().Follows(mcp.HTTPSessions) {
		return
	}
	s := &session{
		h: all.h, id: settled.ID, principal: e.to.caller.Principal.ID, scopes: e.to.caller.Principal.Scopes, mcp: settled,
		own: newStream(ownStream, settled.Revision().Follows(mcp.PrimedStreams), all.h.answers.Hold(e.to.caller.Principal.ID)), streams: map[string]*stream{},
		inFlight: map[*exchange]struct{}{}, questions: map[int64]chan *jsonrpc.Response{}, used: time.Now(),
	}
	caller := e.to.caller
	caller.Send, caller.Unsolicited = ownSender{s}, true
	s.handler = all.h.cfg.Server.Bind(caller, s.cancel)
	s.idle = time.AfterFunc(all.h.cfg.SessionIdle, func() { s.expire() })
	if !all.add(s) {
		s.end()
		return // too many: the client goes on without a session
	}
	header["Mcp-Session-Id"] = []string{s.id}
}

// add adds a session. It reports false if its principal, or all together, have as many
// as they may, and after the table was closed.
func (all *sessions) add(s *session) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.closed || all.count.Take(s.principal, 1) != nil {
		return false
	}
	all.by[s.id] = s
	return true
}

// find returns the session if it is open, belongs to the principal and was begun with
// no more scopes than the principal has now, and restarts its idle time.
func (all *sessions) find(id string, who *mcp.Principal) *session {
	all.mu.Lock()
	s := all.by[id]
	all.mu.Unlock()
	if s == nil || s.principal != who.ID || !covers(who.Scopes, s.scopes) {
		return nil
	}
	s.use()
	return s
}

// covers reports whether the scopes has include others; nil includes all.
func covers(has, others []mcp.Scope) bool {
	lacks := func(scope mcp.Scope) bool { return !slices.Contains(has, scope) }
	return has == nil || others != nil && (slices.Equal(has, others) || !slices.ContainsFunc(others, lacks))
}

// remove removes a session and reports whether it was there, so that its end is only
// worked through once.
func (all *sessions) remove(s *session) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.by[s.id] != s {
		return false
	}
	delete(all.by, s.id)
	all.count.Give(s.principal, 1)
	return true
}

// all returns all sessions; with last set no more can be added.
func (all *sessions) all(last bool) []*session {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.closed = all.closed || last
	return slices.Collect(maps.Values(all.by))
}
