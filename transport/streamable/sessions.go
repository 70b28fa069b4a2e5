package streamable

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// sessions holds the open sessions of this process, by id. The lock restoring is taken
// before mu.
type sessions struct {
	h      *Handler
	sealer *sealer // nil where sessions belong to one run of one server
	over   endedSet

	restoring sync.Mutex // held while a session of another server is made here

	mu     sync.Mutex
	closed bool
	by     map[string]*session
	count  *budget.Budget
}

// init makes the table for the limits of a handler.
func (all *sessions) init(h *Handler) {
	all.h, all.by, all.sealer = h, map[string]*session{}, newSealer(h.cfg.SessionSecret)
	all.count = budget.New(budget.Limits{Owner: int64(h.cfg.MaxSessions), Total: int64(h.cfg.MaxSessionsTotal)})
}

// start begins the session of an initialize that negotiated a revision with sessions, and
// sets the header with its id. When there are too many sessions the header is missing,
// and the client goes on without one, as the specification allows.
func (all *sessions) start(header http.Header, e *exchange) {
	settled := e.to.caller.Session
	if !settled.Revision().Follows(host.HTTPSessions) {
		return
	}
	s := all.newSession(e.to.caller, e.to.caller.Principal.Scopes)
	id := s.id
	if all.sealer != nil {
		sealed, err := all.sealer.seal(sealedSession{
			ID: s.id, Principal: s.principal, Scopes: s.scopes, Began: time.Now().Unix(), Handshake: settled.Handshake(),
		})
		if err == nil && len(sealed) <= maxSealed {
			id, s.sealed = sealed, true
		}
	}
	if all.add(s) != nil {
		s.end()
		return // too many: the client goes on without a session
	}
	if !s.count(e.values, all.h.cfg.SessionIdle) { // after add, so that a session that this server refuses is not counted
		if all.remove(s) {
			s.end()
		}
		return
	}
	header["Mcp-Session-Id"] = []string{id}
}

// newSession returns the session of a caller whose handshake is over. It began with
// these scopes.
func (all *sessions) newSession(caller host.Caller, scopes []host.Scope) *session {
	settled := caller.Session
	s := &session{
		h: all.h, id: settled.ID, principal: caller.Principal.ID, scopes: scopes, mcp: settled,
		own: newStream(all.h.streamName(0), settled.Revision().Follows(host.PrimedStreams), all.h.answers.Hold(caller.Principal.ID)), streams: map[string]*stream{},
		inFlight: map[*exchange]struct{}{}, questions: map[int64]chan *jsonrpc.Response{}, used: time.Now(),
	}
	if all.sealer != nil {
		s.lastQuestion = rand.Int64N(1 << 50) // no two servers ask with the same id,
		s.names = rand.IntN(1 << 30)          // nor have streams of the same name
	}
	caller.Send, caller.Unsolicited = ownSender{s}, true
	s.handler = all.h.cfg.Server.Bind(caller, s.cancel)
	s.idle = time.AfterFunc(all.h.cfg.SessionIdle, func() { s.expire() })
	return s
}

// errFull is returned by add. It is no error for a client, which goes on without a session.
var errFull = errors.New("there are too many sessions")

// add adds a session. It returns errFull if its principal, or all together, have as many as
// they may, and after the table was closed: then the caller ends the session.
func (all *sessions) add(s *session) error {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.closed || all.count.Take(s.principal, 1) != nil {
		return errFull
	}
	all.by[s.id] = s
	return nil
}

// find returns the session if it is open, belongs to the principal and was begun with
// no more scopes than the principal has now, and restarts its idle time. A session that
// began at another server goes on here.
func (all *sessions) find(ctx context.Context, id string, who *host.Principal) *session {
	var sealed sealedSession
	if all.sealer != nil && strings.HasPrefix(id, sealPrefix) {
		var err error
		if sealed, err = all.sealer.open(id, time.Now()); err != nil {
			return nil
		}
		id = sealed.ID
		if sealed.Principal != who.ID || !covers(who.Scopes, sealed.Scopes) {
			return nil
		}
	}
	s := all.inMemory(id)
	if s == nil && sealed.ID != "" {
		s = all.restore(ctx, sealed, who)
	}
	// Without the seal its id is only a name, which is in the audit trail.
	if s == nil || s.sealed != (sealed.ID != "") || s.principal != who.ID || !covers(who.Scopes, s.scopes) {
		return nil
	}
	s.use()
	return s
}

// inMemory returns the session with that id of this process, nil if there is none. It
// does not check whose it is.
func (all *sessions) inMemory(id string) *session {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.by[id]
}

// covers reports whether the scopes has include others; nil includes all. A key that has
// lost a scope cannot go on with a session that was begun with it.
func covers(has, others []host.Scope) bool {
	lacks := func(scope host.Scope) bool { return !slices.Contains(has, scope) }
	return has == nil || others != nil && (slices.Equal(has, others) || !slices.ContainsFunc(others, lacks))
}

// remove removes a session and reports whether it was there, so that its end is only
// worked through once: the caller that gets true calls [session.end].
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

// all returns all sessions, in no order; with last set no more can be added.
func (all *sessions) all(last bool) []*session {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.closed = all.closed || last
	return slices.Collect(maps.Values(all.by))
}

// trim frees what the own streams of the owner's sessions keep for clients that may resume
// them, or those of all sessions when err is [budget.ErrTotal]. It reports whether that was
// any memory. What is not read yet by a client that is there stays.
func (all *sessions) trim(owner string, err error) bool {
	freed := false
	for _, s := range all.all(false) {
		if errors.Is(err, budget.ErrTotal) || s.principal == owner {
			freed = s.own.trim() || freed
		}
	}
	return freed
}
