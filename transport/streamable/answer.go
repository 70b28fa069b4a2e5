package streamable

import (
	"errors"
	"net/http"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// finish passes the answer to the stream if there is one, else to the HTTP handler. The
// stream of a listen stays open. A client that accepts streams only gets one for the
// answer alone. It never blocks: ready has room for both values that are ever sent.
func (e *exchange) finish(out []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch none := len(out) == 0; {
	case e.stream == nil && !e.accepts.json && !e.detached && !none:
		e.openLocked()
		e.finishStreamLocked(out)
	case e.stream == nil:
		e.ready <- out
	case none && e.ctx.Err() == nil:
		return // a listen, ended by the client or by the server
	case none:
		_ = e.stream.finish(nil) // it takes no memory
	default:
		e.finishStreamLocked(out)
	}
	e.release()
}

// finishStreamLocked ends the stream with the answer, or with an error in its place when
// there is no memory to keep it until it is read. mu is held.
func (e *exchange) finishStreamLocked(out []byte) {
	owner := e.to.caller.Principal.ID
	err := e.h.fit(owner, func() error { return e.stream.finish(out) })
	if err == nil {
		return
	}
	e.h.cfg.Logger.Warn("answer dropped", "principal", owner, "bytes", len(out), "err", err)
	out = jsonrpc.AppendError(nil, e.id, hasNullID(e.to.rev), e.unread(http.Header{}, err).Error)
	if e.stream.finish(out) != nil {
		_ = e.stream.finish(nil) // it takes no memory
	}
}

// unread refuses an answer for which there is no memory, because clients have not
// read too many others.
func (e *exchange) unread(header http.Header, err error) *Refusal {
	return e.h.overBudget(header, err, orBaseline(e.to.rev), "answers that are not read", e.h.answerMemory.Load())
}

// reply sends the answer as JSON, with the status of its error (status.go); an array of
// answers has 200. No answer is 202, as for a notification.
func (e *exchange) reply(w http.ResponseWriter, out []byte) {
	if len(out) == 0 { // cancelled
		w.WriteHeader(http.StatusAccepted)
		return
	}
	status := http.StatusOK
	if !e.isArray() {
		status = statusOf(e.rev(), e.err)
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](e.err); ok && status == http.StatusForbidden {
		e.h.cfg.Auth.Forbid(w.Header(), rpc)
	}
	e.startSession(w)
	owner := e.to.caller.Principal.ID
	hold := e.h.answers.Hold(owner)
	defer hold.Release()
	if err := e.h.fit(owner, func() error { return hold.Take(int64(cap(out))) }); err != nil {
		e.h.cfg.Logger.Warn("answer dropped", "principal", owner, "bytes", len(out), "err", err)
		e.h.refuseFor(e.values, w, &e.to.caller, e.unread(w.Header(), err), e.id, e.to.rev)
		return
	}
	_ = writeJSON(w, status, out) // the client may have disconnected
}

// startSession begins the session of an initialize that succeeded. It must come before
// the head of the answer is written, which has the session's id.
func (e *exchange) startSession(w http.ResponseWriter) {
	if e.to.begins && e.err == nil {
		e.h.sessions.start(w.Header(), e)
	}
}

// rev returns the revision of the answer, which an initialize may have changed: its own
// answer has the form of the revision that it negotiated.
func (e *exchange) rev() *host.Revision {
	if s := e.to.caller.Session; s != nil {
		return s.Revision()
	}
	return e.to.rev
}

// abandon ends the HTTP side of an exchange whose client disconnected before anything was
// sent. Without a session the requests are cancelled: their answer could reach no client.
// With one they go on, and their stream is parked for a client that reconnects. A stream
// may just have been opened.
func (e *exchange) abandon() {
	e.mu.Lock()
	e.detached = true
	stream := e.stream
	e.mu.Unlock()
	if stream != nil {
		stream.leave()
	}
	switch s := e.to.session; {
	case s == nil:
		e.cancel(nil)
		if stream != nil {
			stream.close()
		}
	case stream != nil:
		s.park(stream)
	}
	e.h.dropListen(e)
}

// copy sends the stream, as the reader that openLocked expects. A client that disconnects
// cancels requests without a session, and ends a listen. A stream beyond the limit of open
// streams is refused with 429 or 503, and its requests are cancelled.
func (e *exchange) copy(w http.ResponseWriter, r *http.Request) {
	if err := e.h.streams.Take(e.to.caller.Principal.ID, 1); err != nil {
		e.stream.close()
		e.stream.leave()
		if s := e.to.session; s != nil {
			s.dropStream(e.stream) // no client knows it
		}
		e.cancel(nil)
		e.h.dropListen(e)
		e.h.refuse(e.values, w, &e.to.caller, e.h.tooManyStreams(w.Header(), err, orBaseline(e.to.rev)))
		return
	}
	defer e.h.streams.Give(e.to.caller.Principal.ID, 1)
	err := e.read(w, r)
	switch s := e.to.session; {
	case s != nil:
		s.readerLeft(e.stream, err)
	case err != nil:
		e.cancel(nil)
		fallthrough
	default:
		e.stream.close()
	}
	e.h.dropListen(e)
}

// read copies the stream as the reader that openLocked expects.
func (e *exchange) read(w http.ResponseWriter, r *http.Request) error {
	defer e.stream.leave()
	e.startSession(w)
	return e.stream.copy(r.Context(), openSink(w, e.h.cfg.WriteTime), 0, e.h.cfg.KeepAlive, e.h.admits(r.Context(), &e.to.caller))
}

// openLocked turns the answer into a stream, once, and tells the HTTP handler by a nil in
// ready. mu is held. Only streams of sessions have a name, so only those can be resumed.
func (e *exchange) openLocked() {
	name, prime := "", false
	if s := e.to.session; s != nil {
		name, prime = s.newStreamName(), e.to.rev.Follows(host.PrimedStreams)
	}
	e.stream = newStream(name, prime, e.h.answers.Hold(e.to.caller.Principal.ID)).expect()
	if e.to.session != nil {
		e.to.session.addStream(e.stream)
	}
	e.ready <- nil
}
