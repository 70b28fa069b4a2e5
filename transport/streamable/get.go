package streamable

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// sessionOf returns the session of a GET or DELETE. Only revisions with sessions have
// these methods: others get 405 with Allow, a missing id 400 and an unknown one 404, upon
// which clients initialize again.
func (h *Handler) sessionOf(header http.Header, r *http.Request, caller host.Caller) (*session, *Refusal) {
	named, unknown := headerVersion(r)
	if named != nil && named.Modern {
		header.Set("Allow", http.MethodPost)
		return nil, invalid(http.StatusMethodNotAllowed, "the protocol revision %s has POST only", named.Name)
	}
	if unknown != "" {
		return nil, refusal(http.StatusBadRequest, host.UnsupportedVersion(unknown))
	}
	id := r.Header.Get("Mcp-Session-Id")
	if id == "" {
		return nil, invalid(http.StatusBadRequest, "the header Mcp-Session-Id is missing; initialize by POST gives one")
	}
	if s := h.sessions.find(r.Context(), id, &caller.Principal); s != nil {
		return s, nil
	}
	return nil, noSession()
}

// get sends the session's own stream, or resumes one of a request (basic/transports,
// resumability). It returns when the stream ends or its reader leaves. Opening costs no
// call of the quota.
func (h *Handler) get(w http.ResponseWriter, r *http.Request, caller host.Caller) {
	takes, _ := accepted(r.Header)
	if !takes.stream {
		h.refuseCaller(w, r, &caller, invalid(http.StatusNotAcceptable, "Accept must have text/event-stream"))
		return
	}
	s, refused := h.sessionOf(w.Header(), r, caller)
	if refused == nil {
		refused = h.cfg.Auth.Charge(r.Context(), w.Header(), &caller, s.mcp.Revision(), Bill{})
	}
	if refused != nil {
		h.refuseCaller(w, r, &caller, refused)
		return
	}
	if h.forwardStream(w, r, s, &caller) {
		return
	}
	one, after, refused := s.resume(r.Header.Get("Last-Event-Id"))
	if refused != nil {
		h.refuseCaller(w, r, &caller, refused)
		return
	}
	defer s.release(one)
	if err := h.streams.Take(s.principal, 1); err != nil {
		h.refuse(r.Context(), w, &caller, h.tooManyStreams(w.Header(), err, s.mcp.Revision()))
		return
	}
	defer h.streams.Give(s.principal, 1)
	err := s.read(one, func() error {
		out := openSink(w, h.cfg.WriteTime)
		return one.copy(r.Context(), out, after, h.cfg.KeepAlive, h.admits(r.Context(), &caller))
	})
	if one != s.own {
		s.readerLeft(one, err)
	}
}

// read calls send as a reader of the stream: while it runs the stream is not parked.
func (s *session) read(one *stream, send func() error) error {
	s.attach(one)
	defer one.leave()
	return send()
}

// resume returns the stream of an event id and the number of that event. Without an id it
// returns the session's own stream and its last event that was sent. An id that names no event
// of the session is refused (400), except one of another server's own stream that has ended:
// then the client goes on with what this server has. Events that were dropped meanwhile, since
// there was no room for them, are missing without an error.
//
// The own stream has one reader by the specification; [session.release] must follow.
func (s *session) resume(lastEvent string) (one *stream, after int, refused *Refusal) {
	name, number := s.own.name, strconv.Itoa(s.own.unsent())
	if lastEvent != "" {
		name, number, _ = strings.Cut(lastEvent, "_")
	}
	after, err := strconv.Atoi(number)
	one = s.stream(name)
	if one == nil && s.sealed && strings.HasSuffix(tagEnd+name, tagEnd+ownStream) {
		one, after = s.own, s.own.unsent() // the event was another server's, which has ended
	}
	if s.sealed && one == s.own && err == nil && !one.reaches(after) {
		after = one.unsent() // likewise
	}
	if err != nil || after < 0 || one == nil || !one.reaches(after) {
		return nil, 0, invalid(http.StatusBadRequest, "Last-Event-ID %q names no event of this session", lastEvent)
	}
	if one != s.own {
		return one, after, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers++ // a newer GET replaces the older one, whose connection may be dead
	return one, after, nil
}

// release ends the reading of a stream that resume has returned. Only the session's own stream
// has several readers, one after the other, that are counted.
func (s *session) release(one *stream) {
	if one == s.own {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.readers--
	}
}

// delete ends a session at all servers (204). It is an error that a store cannot be
// reached: the session would go on elsewhere.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request, caller host.Caller) {
	s, refused := h.sessionOf(w.Header(), r, caller)
	if refused == nil {
		if err := h.endEverywhere(r.Context(), s); err != nil {
			h.cfg.Logger.Error("session not ended", "session", s.id, "err", err)
			w.Header().Set("Retry-After", "1")
			refused = refusal(http.StatusServiceUnavailable, jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").WithDetails("the store cannot be reached now"))
		}
	}
	if refused == nil && !h.sessions.remove(s) {
		refused = noSession()
	}
	if refused != nil {
		h.refuseCaller(w, r, &caller, refused)
		return
	}
	s.end()
	if err := h.cfg.Barrier(context.WithoutCancel(r.Context())); err != nil { // the end of the session is recorded, too
		h.cfg.Logger.Error("answer withheld", "err", err)
		h.refuseCaller(w, r, &caller, refusal(http.StatusServiceUnavailable, jsonrpc.ErrorOf(err)))
		return
	}
	h.showQuota(w, r, &caller)
	w.WriteHeader(http.StatusNoContent)
}
