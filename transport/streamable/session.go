package streamable

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A session holds the state of a client of a revision with sessions, at this server. It is
// made when initialize has succeeded, or restored from its id, and lives until the client
// deletes it, it was idle for SessionIdle, its key is revoked, or the server ends.
type session struct {
	h         *Handler
	id        string
	principal string
	scopes    []host.Scope // of the principal at its beginning; they limit its notifications
	mcp       *host.Session
	handler   *mcp.Handler // gets changes and the client's notifications
	own       *stream      // of messages that belong to no request; read by GET
	idle      *time.Timer
	sealed    bool // other servers can go on with it

	mu           sync.Mutex
	used         time.Time // time of the last request
	ended        bool
	streams      map[string]*stream // of requests, by name
	order        []string           // their names, oldest first
	names        int
	inFlight     map[*exchange]struct{}
	questions    map[int64]chan *jsonrpc.Response
	lastQuestion int64
	readers      int // GETs of own: the current one, and replaced ones that have not noticed yet
}

// use restarts the idle time. It only records the time, which expire compares: resetting
// a timer with each request would cost more.
func (s *session) use() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
}

// expire is called by the timer; it ends an idle session, or sets the timer again. One
// with a running request or a reader is not idle.
func (s *session) expire() {
	s.mu.Lock()
	left := s.h.cfg.SessionIdle - time.Since(s.used)
	if len(s.inFlight) > 0 || s.readers > 0 {
		left = s.h.cfg.SessionIdle
	}
	s.mu.Unlock()
	if left > 0 {
		s.idle.Reset(left)
		s.count(context.Background(), left) // it is in use, however many there are
	} else if s.h.sessions.remove(s) {
		s.end()
	}
}

// end cancels requests in flight, ends all streams and makes the families drop the state
// of the session, at once or when the last request has ended. The caller has removed the
// session from the table, so it is called once.
func (s *session) end() {
	s.idle.Stop()
	s.mu.Lock()
	s.ended = true
	for e := range s.inFlight {
		e.cancel(nil)
	}
	streams := slices.Collect(maps.Values(s.streams))
	idle := len(s.inFlight) == 0
	s.mu.Unlock()
	for _, one := range append(streams, s.own) {
		s.h.parked.remove(one)
		one.close()
	}
	s.handler.End(context.Background())
	if idle {
		s.forgetState()
	}
}

// addExchange adds an exchange until removeExchange is called. If the session has ended
// already, the exchange is cancelled: its requests see a context that is done.
func (s *session) addExchange(e *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight[e] = struct{}{}
	if s.ended {
		e.cancel(nil)
	}
}

// removeExchange ends the part of a request in the session. The last one of a session
// that has ended frees what families keep for it.
func (s *session) removeExchange(e *exchange) {
	s.mu.Lock()
	delete(s.inFlight, e)
	last := s.ended && len(s.inFlight) == 0
	s.mu.Unlock()
	if last {
		s.forgetState()
	}
}

// forgetState makes the families drop the state of the session. It is called when no
// request runs any more: one that ended later could leave state for ever.
func (s *session) forgetState() {
	s.h.cfg.Server.EndSession((&host.Caller{Session: s.mcp}).StateKey())
}

// cancel cancels the requests in flight with the id, and reports whether there were any.
// Requests of several connections may have the same id.
func (s *session) cancel(id jsonrpc.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := false
	for e := range s.inFlight {
		if e.id.String() == id.String() {
			e.cancel(errCancelled)
			found = true
		}
	}
	return found
}

// addQuestion adds a request to the client, and returns its id and the channel for the
// response, which gets one value at most. The caller removes the question in the end.
func (s *session) addQuestion() (id int64, answer <-chan *jsonrpc.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastQuestion++
	c := make(chan *jsonrpc.Response, 1)
	s.questions[s.lastQuestion] = c
	return s.lastQuestion, c
}

// removeQuestion forgets a request to the client, whose answer is of no use any more.
func (s *session) removeQuestion(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.questions, id)
}

// answer passes on the client's response, and reports whether there was a request for it.
// It never blocks. A second response to one request is dropped.
func (s *session) answer(response *jsonrpc.Response) bool {
	id, err := strconv.ParseInt(response.ID.String(), 10, 64)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.questions[id]
	if c == nil {
		return false
	}
	delete(s.questions, id)
	c <- response
	return true
}

// An ownSender sends messages that belong to no request, such as changes of lists, for
// the handler that the session binds.
type ownSender struct{ s *session }

// Notify implements [mcp.Sender]: it appends the notification to the session's own
// stream, which a GET reads.
func (o ownSender) Notify(_ context.Context, method string, params []byte) error {
	return o.s.own.append(jsonrpc.AppendNotification(nil, method, params))
}

// Call is never used: the server sends requests only while it handles one.
func (o ownSender) Call(context.Context, string, []byte) ([]byte, error) {
	return nil, mcp.ErrCannotAsk
}
