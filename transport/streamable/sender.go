package streamable

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

// open returns the stream, nil when there is nobody to read one.
func (e *exchange) open() *stream {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stream == nil && !e.detached {
		e.openLocked()
	}
	return e.stream
}

var errGone = errors.New("the client is gone")

// Notify sends a notification that belongs to the request.
func (e *exchange) Notify(_ context.Context, method string, params []byte) error {
	e.extend(e.h.cfg.Timeout)
	s := e.open()
	if s == nil {
		return errGone
	}
	return s.append(jsonrpc.AppendNotification(nil, method, params))
}

// Call asks the client, which answers by a POST of its own; so it takes a
// session.
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
		_ = s.append(jsonrpc.AppendNotification(nil, "notifications/cancelled", cancelled)) // it may be gone
		return nil, context.Cause(ctx)
	}
}

// questionTimeout is how long a user may think about a question.
const questionTimeout = 15 * time.Minute

// Respond answers a listen, which is how the server ends it.
func (e *exchange) Respond(id jsonrpc.ID, result []byte) error {
	if s := e.open(); s != nil {
		return s.finish(jsonrpc.AppendResult(nil, id, result))
	}
	return errGone
}

// Suspend closes the connection before the answer, where the revision lets the
// client come back for it; it reports whether it does.
func (e *exchange) Suspend(retry time.Duration) bool {
	if e.to.session == nil || !e.to.rev.Follows(mcp.PrimedStreams) {
		return false
	}
	s := e.open()
	if s == nil {
		return false
	}
	s.pause(retry)
	return true
}
