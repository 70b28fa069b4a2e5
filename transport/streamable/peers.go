package streamable

import (
	"context"
	"encoding/json"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Peers connects the servers of one store, so that the sessions of clients go on at any of
// them. Its methods may be called from many goroutines and must bound their time. While the
// store cannot be reached, sessions go on: Begin and Ended may fail, and the session counts as
// open.
type Peers interface {
	// Publish passes an event to the other servers, which call [Handler.Deliver]. A
	// server that cannot be reached misses it.
	Publish(ctx context.Context, event []byte)
	// Begin counts a session of a principal for the time idle from now on, and reports
	// false if it is a new one and the principal has the most at all servers.
	Begin(ctx context.Context, principal, session string, idle time.Duration, most int) (bool, error)
	// End marks a session as ended, for [SessionLife].
	End(ctx context.Context, principal, session string) error
	// Ended reports whether a session was ended.
	Ended(ctx context.Context, session string) (bool, error)
}

// A peerEvent tells the servers that have a session in memory what came in at another one: its
// end, or a message of the client. Servers ignore members that they do not know.
type peerEvent struct {
	Session string          `json:"session"`
	Ended   bool            `json:"ended,omitempty"`
	Message json.RawMessage `json:"message,omitempty"` // from the client
}

// maxShared limits a message that is passed on: every server holds some of them.
const maxShared = 256 << 10

// share passes a message of a session's client on to the other servers, if there are any.
// It does not wait for them and reports nothing: a message that is lost is one that the
// client may have sent too late.
func (s *session) share(ctx context.Context, message []byte) {
	if s.h.cfg.Peers == nil || !s.sealed {
		return
	}
	if len(message) > maxShared {
		s.h.cfg.Logger.Warn("a message of a client is too large to be passed on to the other servers", "bytes", len(message), "session", s.id)
		return
	}
	if text, err := json.Marshal(peerEvent{Session: s.id, Message: message}); err == nil {
		s.h.cfg.Peers.Publish(ctx, text)
	}
}

// Deliver handles an event that another server has published; the application calls it with
// each that arrives. Events of sessions that are not in memory are ignored, and so is one that
// cannot be read. It returns when the event is handled. A panic of a handler is logged, as in
// requests of clients.
func (h *Handler) Deliver(ctx context.Context, event []byte) {
	var panicked error // it is logged, and there is no client to answer
	defer jsonrpc.Recover(h.cfg.Logger, "event of another server", &panicked)
	var e peerEvent
	if json.Unmarshal(event, &e) != nil {
		return
	}
	s := h.sessions.inMemory(e.Session)
	switch {
	case s == nil:
	case e.Ended:
		if h.sessions.remove(s) {
			s.end()
		}
	default:
		s.deliver(ctx, e.Message)
	}
}

// deliver handles a message of the session's client that came in at another server: a
// response, a notification, or a request that changes what the session hears, which the
// other server has answered. It was authenticated and charged there.
func (s *session) deliver(ctx context.Context, text []byte) {
	body, err := jsonrpc.Decode(text, jsonrpc.Config{})
	if err != nil || body.Batch || len(body.Messages) != 1 {
		return
	}
	switch m := body.Messages[0]; {
	case m.Response != nil:
		s.answer(m.Response)
	case m.Request != nil && m.Request.IsNotification():
		s.handler.Preempt(m.Request)
	case m.Request != nil && isShared(m.Request.Method):
		_, _ = s.handler.Handle(ctx, m.Request, nil) // the client has its answer
	}
}

// isShared reports whether a request changes what a session hears. Such a request is
// handled at every server that has the session, for its stream may be at any of them.
func isShared(method string) bool {
	return method == "resources/subscribe" || method == "resources/unsubscribe" || method == "logging/setLevel"
}

// countSlack is the longest time for which a session is counted after it may have expired: the
// server that has it counts it again until then if it is in use.
const countSlack = time.Minute

// count counts a session among those of its principal at all servers, for the time after
// which it expires here if it is not used, and reports false if there are too many. Each
// server that has the session counts it, so the last one to use it says until when. While the
// store cannot count, those of this server are bounded.
func (s *session) count(ctx context.Context, left time.Duration) bool {
	return !s.sealed || s.h.countSession(ctx, s.principal, s.id, left)
}

// countSession does the same for a session that need not be made yet.
func (h *Handler) countSession(ctx context.Context, principal, id string, left time.Duration) bool {
	if h.cfg.Peers == nil {
		return true
	}
	ok, err := h.cfg.Peers.Begin(ctx, principal, id, left+min(h.cfg.SessionIdle/8, countSlack), int(h.maxSessions.Load()))
	return ok || err != nil
}

// restore makes the session of a sealed id that began at another server, nil if it has
// ended or there are too many. The caller has checked the principal. It is counted before it
// is made, as it may have expired at all servers and have no room now: another request that
// found it here would be cancelled. Whether it has ended is asked twice, as it may end while
// it is made.
func (all *sessions) restore(ctx context.Context, sealed sealedSession, who *host.Principal) *session {
	if all.ended(ctx, sealed.ID) {
		return nil
	}
	settled, err := host.RestoreSession(sealed.ID, sealed.Handshake)
	if err != nil {
		return nil
	}
	// Another request may have made it since and taken the room, so memory is asked second.
	if !all.hasRoom(who.ID) && all.inMemory(sealed.ID) == nil {
		return nil
	}
	if !all.h.countSession(ctx, who.ID, sealed.ID, all.h.cfg.SessionIdle) {
		return nil
	}
	s := all.restoreOnce(sealed, settled, *who)
	if s != nil && all.ended(ctx, sealed.ID) { // meanwhile
		if all.remove(s) {
			s.end()
		}
		return nil
	}
	return s
}

// hasRoom reports whether a principal may have one more session at this server.
func (all *sessions) hasRoom(principal string) bool {
	if all.count.Take(principal, 1) != nil {
		return false
	}
	all.count.Give(principal, 1)
	return true
}

// restoreOnce makes one session where several requests come at once, with the rights
// that it began with: the caller may have more.
func (all *sessions) restoreOnce(sealed sealedSession, settled *host.Session, who host.Principal) *session {
	all.restoring.Lock()
	defer all.restoring.Unlock()
	if s := all.inMemory(sealed.ID); s != nil {
		return s
	}
	if !all.hasRoom(who.ID) {
		return nil // before anything is made that would have to be ended
	}
	who.Scopes = sealed.Scopes
	s := all.newSession(host.Caller{Principal: who, Session: settled}, sealed.Scopes)
	s.sealed = true
	if all.add(s) != nil {
		s.end()
		return nil
	}
	return s
}

// ended reports whether a session was ended at any server. While the store cannot say,
// sessions go on: their requests still need a key.
func (all *sessions) ended(ctx context.Context, id string) bool {
	peers := all.h.cfg.Peers
	if peers == nil {
		return all.over.has(id)
	}
	ended, err := peers.Ended(ctx, id)
	return ended && err == nil
}

// endEverywhere ends a session at all servers: first in the store, so that none restores
// it, then by an event to those that have it in memory. It does not end it here.
func (h *Handler) endEverywhere(ctx context.Context, s *session) error {
	if !s.sealed {
		return nil
	}
	if h.cfg.Peers == nil {
		h.sessions.over.add(s.id, time.Now())
		return nil
	}
	if err := h.cfg.Peers.End(ctx, s.principal, s.id); err != nil {
		return err
	}
	if text, err := json.Marshal(peerEvent{Session: s.id, Ended: true}); err == nil {
		h.cfg.Peers.Publish(ctx, text)
	}
	return nil
}
