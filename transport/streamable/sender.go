package streamable

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// open returns the stream, opening it if necessary, or nil when no client reads it. After
// the first call the answer is an event stream, whatever else happens.
func (e *exchange) open() *stream {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stream == nil && !e.detached {
		e.openLocked()
	}
	return e.stream
}

// errGone is the error of messages to a client that does not read any more. A request
// without a session is cancelled then, too.
var errGone = errors.New("the client has disconnected")

// Notify implements [mcp.Sender]. It sends a notification that belongs to the request, and
// gives the request its full time again. It does not block; the error is that no client reads
// the stream.
func (e *exchange) Notify(_ context.Context, method string, params []byte) error {
	e.extend(e.h.cfg.Timeout)
	s := e.open()
	if s == nil {
		return errGone
	}
	return s.append(jsonrpc.AppendNotification(nil, method, params))
}

// Call implements [mcp.Sender]. It sends a request to the client, which responds by a POST of
// its own; that requires a session. It waits up to questionTimeout, during which the request
// of the client does not time out. When ctx is done first, the client is told that the
// question is cancelled. The response may come in at another server, which passes it on
// through [Peers].
func (e *exchange) Call(ctx context.Context, method string, params []byte) ([]byte, error) {
	session := e.to.session
	if session == nil {
		return nil, mcp.ErrCannotAsk
	}
	s := e.open()
	if s == nil {
		return nil, errGone
	}
	id, answer := session.addQuestion()
	defer session.removeQuestion(id)
	if err := s.append(jsonrpc.AppendRequest(nil, jsonrpc.NumberID(id), method, params)); err != nil {
		return nil, err
	}
	e.extend(questionTimeout)
	defer e.extend(e.h.cfg.Timeout)
	select {
	case response := <-answer:
		if response.Error != nil {
			return nil, response.Error
		}
		return response.Result, nil
	case <-ctx.Done():
		cancelled := append(strconv.AppendInt([]byte(`{"requestId":`), id, 10), '}')
		_ = s.append(jsonrpc.AppendNotification(nil, "notifications/cancelled", cancelled)) // the stream may have ended
		return nil, context.Cause(ctx)
	}
}

// questionTimeout bounds the time of a request of the server to a client, whose
// user may have to decide.
const questionTimeout = 15 * time.Minute

// Respond ends a listen with its result. It implements what [mcp.Handler] looks for in a
// sender, like Suspend.
func (e *exchange) Respond(id jsonrpc.ID, result []byte) error {
	if s := e.open(); s != nil {
		return s.finish(jsonrpc.AppendResult(nil, id, result))
	}
	return errGone
}

// Suspend closes the connection before the answer and reports true if the revision lets
// the client reconnect for it (2025-11-25, SEP-1699). The request goes on meanwhile.
func (e *exchange) Suspend(retry time.Duration) bool {
	if e.to.session == nil || !e.to.rev.Follows(host.PrimedStreams) {
		return false
	}
	s := e.open()
	if s == nil {
		return false
	}
	s.pause(retry)
	return true
}
