package streamable

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

// A session is what a client of a revision with sessions makes us remember.
type session struct {
	h         *Handler
	id        string
	principal string
	scopes    []mcp.Scope // with which it was begun: what it hears depends on them
	mcp       *mcp.Session
	handler   *mcp.Handler // hears of changes and takes notifications
	own       *stream      // what belongs to no request; read by GET
	idle      *time.Timer

	mu           sync.Mutex
	used         time.Time // when the client was last heard
	ended        bool
	streams      map[string]*stream // of requests, by name, until they are forgotten
	order        []string           // their names, oldest first
	names        int
	inFlight     map[*exchange]struct{}
	questions    map[int64]chan *jsonrpc.Response
	lastQuestion int64
	readers      int // GETs of own: the newest one, and those that have not noticed yet
}

// ownStream is the name of the stream that belongs to no request.
const ownStream = "0"

// maxStreams bounds how many streams of requests a session keeps for clients
// that come back.
const maxStreams = 16

// use puts off the session's end. That takes no more than a look at the clock:
// the timer finds out when it is due.
func (s *session) use() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
}

// expire ends an idle session; one that works or is listened to is not idle.
func (s *session) expire() {
	s.mu.Lock()
	left := s.h.cfg.SessionIdle - time.Since(s.used)
	if len(s.inFlight) > 0 || s.readers > 0 {
		left = s.h.cfg.SessionIdle
	}
	s.mu.Unlock()
	if left > 0 {
		s.idle.Reset(left)
	} else if s.h.sessions.remove(s) {
		s.end()
	}
}

// end cancels what is in flight, ends all streams and lets the families forget
// the session.
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

// begin makes an exchange known until leave is called.
func (s *session) addExchange(e *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight[e] = struct{}{}
	if s.ended {
		e.cancel(nil)
	}
}

func (s *session) removeExchange(e *exchange) {
	s.mu.Lock()
	delete(s.inFlight, e)
	last := s.ended && len(s.inFlight) == 0
	s.mu.Unlock()
	if last {
		s.forgetState()
	}
}

// forgetState lets the families forget the session, when nothing of it runs any
// more: what a handler keeps at its end would stay for ever.
func (s *session) forgetState() {
	s.h.cfg.Server.EndSession((&mcp.Caller{Session: s.mcp}).StateKey())
}

// cancel ends the requests in flight that have the id.
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

func (s *session) newStreamName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names++
	return strconv.Itoa(s.names)
}

// keep remembers a stream for a client that comes back.
func (s *session) addStream(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams[one.name] = one
	s.order = append(s.order, one.name)
	s.trimLocked()
}

// maxBytes is how much the streams of a session may hold that were not read,
// besides the newest one, and keptFor for how long.
const (
	maxBytes = 4 << 20
	keptFor  = 2 * time.Minute
)

// trimLocked forgets the oldest streams when there are too many or they hold
// too much.
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

// left is told of a stream that a connection has stopped reading, with what
// [stream.copy] says of it.
func (s *session) readerLeft(one *stream, err error) {
	switch {
	case errors.Is(err, errTaken): // whoever reads it now tells
	case err == nil && one.hasEnded():
		s.dropStream(one)
	default:
		s.park(one)
	}
}

// lost keeps a stream for a client that may come back: at least for keptFor when
// it is over, and at most for twice as long.
func (s *session) park(one *stream) {
	s.mu.Lock()
	s.trimLocked()
	s.mu.Unlock()
	s.h.parked.add(s.principal, one, func() { s.dropStream(one) })
	over := one.hasEnded()
	time.AfterFunc(keptFor, func() {
		if over {
			s.dropStream(one)
		} else {
			s.park(one)
		}
	})
}

// drop forgets a stream.
func (s *session) dropStream(one *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetStreamLocked(one.name)
	s.order = slices.DeleteFunc(s.order, func(name string) bool { return name == one.name })
}

// forgetStreamLocked takes a stream from the map and frees its memory.
func (s *session) forgetStreamLocked(name string) {
	if one := s.streams[name]; one != nil {
		delete(s.streams, name)
		s.h.parked.remove(one)
		one.forget()
	}
}

// stream finds a stream by name.
func (s *session) stream(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == ownStream {
		return s.own
	}
	return s.streams[name]
}

// expect makes ready for the answer to a request of ours.
func (s *session) addQuestion() (id int64, answer <-chan *jsonrpc.Response) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastQuestion++
	c := make(chan *jsonrpc.Response, 1)
	s.questions[s.lastQuestion] = c
	return s.lastQuestion, c
}

func (s *session) removeQuestion(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.questions, id)
}

// answer takes what the client says to a request of ours; an answer to none is
// ignored.
func (s *session) answer(response *jsonrpc.Response) {
	id, err := strconv.ParseInt(response.ID.String(), 10, 64)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.questions[id]; c != nil {
		delete(s.questions, id)
		c <- response
	}
}

// ownSender sends what belongs to no request.
type ownSender struct{ s *session }

func (o ownSender) Notify(_ context.Context, method string, params []byte) error {
	return o.s.own.append(jsonrpc.AppendNotification(nil, method, params))
}

// Call is never used: the server asks only while it handles a request.
func (o ownSender) Call(context.Context, string, []byte) ([]byte, error) {
	return nil, mcp.ErrCannotAsk
}
