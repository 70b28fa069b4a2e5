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
)

// A session holds the state of a client of a revision with sessions. It is made when
// initialize has succeeded and lives until the client deletes it, it was idle for
// SessionIdle, its key is revoked, or the server ends.
type session struct {
	h         *Handler
	id        string
	principal string
	scopes    []mcp.Scope // of the principal at its beginning; they limit its notifications
	mcp       *mcp.Session
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

// ownStream is the name of the session's own stream, without the tag of a server.
const ownStream = "0"

// maxStreams bounds the streams of requests that a session keeps for a client that
// reconnects.
const maxStreams = 16

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
	s.h.cfg.Server.EndSession((&mcp.Caller{Session: s.mcp}).StateKey())
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

// newStreamName returns a name for a stream, which is the first part of its event ids.
// It is unique in the session.
func (s *session) newStreamName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names++
	return s.h.streamName(s.names)
}

// addStream adds a stream, which a client may resume until it is dropped, and drops older
// ones beyond the bounds.
func (s *session) addStream(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams[one.name] = one
	s.order = append(s.order, one.name)
	s.trimLocked()
}

// maxBytes bounds what the streams of a session hold besides the newest one, and
// keptFor the time for which a stream without a reader is kept.
const (
	maxBytes = 4 << 20
	keptFor  = 2 * time.Minute
)

// trimLocked drops the oldest streams when there are too many or they hold too much. The
// newest one always stays.
func (s *session) trimLocked() {
	total := 0
	for i, name := range slices.Backward(s.order) {
		if total += s.streams[name].held(); i == len(s.order)-1 || total <= maxBytes && len(s.order)-i <= maxStreams {
			continue
		}
		for _, old := range s.order[:i+1] {
			s.forgetStreamLocked(old)
		}
		s.order = s.order[i+1:]
		return
	}
}

// readerLeft drops or parks a stream after [stream.copy] returned err and the reader
// has left. While the stream has another reader, that one decides.
func (s *session) readerLeft(one *stream, err error) {
	if err == nil && one.hasEnded() {
		s.dropStream(one)
	} else {
		s.park(one)
	}
}

// attach counts a reader that will come, until [stream.leave]. The stream is neither
// parked nor dropped for its age while it has one.
func (s *session) attach(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.expect()
	s.unparkLocked(one)
}

// unparkLocked undoes park.
func (s *session) unparkLocked(one *stream) {
	s.h.parked.remove(one)
	if one.expiry != nil {
		one.expiry.Stop()
		one.expiry = nil
	}
}

// park keeps a stream without readers for a client that may reconnect. It is dropped
// between one and two times keptFor after it has ended.
func (s *session) park(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parkLocked(one)
}

// parkLocked is park with mu held. It ignores a stream that has a reader or that no
// client can find.
func (s *session) parkLocked(one *stream) {
	s.trimLocked()
	if s.ended || s.streams[one.name] != one || one.isRead() {
		return
	}
	s.h.parked.add(s.principal, one, func() { s.dropStream(one) })
	if one.expiry != nil {
		one.expiry.Stop()
	}
	over := one.hasEnded()
	var timer *time.Timer
	timer = time.AfterFunc(keptFor, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case one.expiry != timer: // stopped too late
		case over:
			s.dropStreamLocked(one)
		default:
			s.parkLocked(one)
		}
	})
	one.expiry = timer
}

// dropStream removes a stream without readers and frees its memory. With a reader it does
// nothing: the reader decides when it leaves.
func (s *session) dropStream(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropStreamLocked(one)
}

// dropStreamLocked forgets a stream that no client reads: it cannot be resumed any
// more. mu is held.
func (s *session) dropStreamLocked(one *stream) {
	if one.isRead() {
		return
	}
	s.unparkLocked(one)
	s.forgetStreamLocked(one.name)
	s.order = slices.DeleteFunc(s.order, func(name string) bool { return name == one.name })
}

// forgetStreamLocked removes a stream from the map and frees its memory.
func (s *session) forgetStreamLocked(name string) {
	if one := s.streams[name]; one != nil {
		delete(s.streams, name)
		s.unparkLocked(one)
		one.forget()
	}
}

// stream returns a stream by name, nil if there is none. It may be dropped before the
// caller has become its reader.
func (s *session) stream(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == s.own.name {
		return s.own
	}
	return s.streams[name]
}

// addQuestion adds a request to the client, and returns its id and the channel for
// the response.
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
