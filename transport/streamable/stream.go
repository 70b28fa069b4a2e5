package streamable

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// A stream is a queue of server-sent events. Any goroutine appends; one at a time, an
// HTTP handler's, copies to the client. A stream of a session keeps events that were
// copied, so that a client that lost its connection can resume it. Its memory is charged
// to hold, and given back when no reader has it and none can find it.
//
// Events are numbered from 1. At any time first is the oldest that is kept, handed the
// last that a reader has taken, and sent the last that was written.
type stream struct {
	name  string // before the number in event ids; "" for events without ids
	prime bool   // it begins with an event without data

	expiry *time.Timer // of a parked stream; guarded by the mu of its session

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something changed
	events  []event
	first   int // number of events[0]; numbers begin with 1
	bytes   int // of events
	handed  int // number of the last event that a reader got
	waiting int // bytes of later events
	hold    *budget.Hold
	ended   bool
	closed  bool // no further reader can find it
	readers int  // that copy, or will
	sent    int  // number of the last event that was written to a client
	holder  int  // number of the current reader; earlier ones stop
	suspend bool // the reader stops when all is written
}

// maxKept bounds the bytes of events that were not read or are kept to be resumed. A
// single message may be larger.
const maxKept = 1 << 20

// errOverflow is returned when a client does not read its stream.
var errOverflow = errors.New("the client does not read its stream")

// newStream returns a stream without events, but for a first one with a reconnection
// time if prime is set: with its id, a client can resume before there was a message.
func newStream(name string, prime bool, hold *budget.Hold) *stream {
	s := &stream{name: name, prime: prime, first: 1, changed: make(chan struct{}), hold: hold}
	if prime {
		s.events = append(s.events, event{retry: reconnectDelay})
	}
	return s
}

// reconnectDelay is the time that clients are asked to wait before they reconnect. It
// spreads the load when a proxy has cut many streams.
const reconnectDelay = time.Second

// append adds a message, which the stream keeps. It never blocks: past the bound, or without
// memory for it, a stream without a session ends, and one of a session drops its oldest
// messages. A client that reads slowly so delays nothing but itself.
func (s *stream) append(message []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errOverflow
	}
	err := s.addLocked(message)
	for s.name != "" && err != nil && s.bytes > 0 {
		s.dropLocked()
		err = s.addLocked(message)
	}
	for s.name != "" && s.bytes > maxKept && len(s.events) > 1 {
		s.dropLocked()
	}
	if s.name == "" && (err != nil || s.waiting > maxKept && s.waiting > event{data: message}.size()) {
		s.ended, err = true, errOverflow
	}
	s.notifyLocked()
	return err
}

// addLocked adds a message if there is memory for it. On an error of the budget the
// stream is unchanged. mu is held.
func (s *stream) addLocked(message []byte) error {
	e := event{data: message}
	if err := s.hold.Take(int64(e.size())); err != nil {
		return err
	}
	s.events = append(s.events, e)
	s.bytes += e.size()
	s.waiting += e.size()
	return nil
}

// finish adds the last message, which may be nil for none, and ends the stream: further
// messages are refused. When there is no memory for it, it returns the error and the stream
// goes on. On a stream that has ended it does nothing.
func (s *stream) finish(message []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	if message != nil {
		if err := s.addLocked(message); err != nil {
			return err
		}
	}
	s.ended = true
	s.notifyLocked()
	return nil
}

// close ends the stream. Its memory is freed as soon as its readers have left. It may be
// called again.
func (s *stream) close() {
	_ = s.finish(nil) // it takes no memory
	s.forget()
}

// forget lets the stream end with its last reader: no other can find it.
func (s *stream) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.freeLocked()
}

// freeLocked ends a stream without readers that none can find, and frees its memory.
func (s *stream) freeLocked() {
	if !s.closed || s.readers > 0 {
		return
	}
	s.ended = true
	s.first += len(s.events)
	s.events, s.bytes, s.waiting = nil, 0, 0
	s.hold.Release()
	s.notifyLocked()
}

// pause makes the reader stop when all is written; the client is asked to reconnect after
// retry. The stream goes on to collect events.
func (s *stream) pause(retry time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event{retry: retry})
	s.suspend = true
	s.notifyLocked()
}

// trim frees what the stream keeps for a client that may resume it: the messages that were
// written, and all while it has no reader. It reports whether that was any memory.
func (s *stream) trim() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.bytes
	for s.bytes > 0 && (s.readers == 0 || s.first <= s.sent) {
		s.dropLocked()
	}
	return s.bytes < before
}

// held returns the bytes of events that the stream keeps, read or not.
func (s *stream) held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// hasEnded reports whether no event follows.
func (s *stream) hasEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// dropLocked drops the oldest event and gives its memory back. A reader that has not had
// it goes on with the next one.
func (s *stream) dropLocked() {
	size := s.events[0].size()
	if s.first > s.handed {
		s.waiting -= size
	}
	s.bytes -= size
	s.hold.Give(int64(size))
	s.events[0] = event{}
	s.events = s.events[1:]
	s.first++
}

// notifyLocked wakes all readers of the stream. mu is held.
func (s *stream) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// startReader makes the caller the reader, in place of an earlier one: its client has
// reconnected.
func (s *stream) startReader() (holder int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holder++; s.holder > 1 {
		s.suspend = false
	}
	s.readers++
	s.notifyLocked()
	return s.holder
}

// expect counts a reader that will come, until leave. Without it the stream could be
// freed between the request for it and its reader's start.
func (s *stream) expect() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers++
	return s
}

// isRead reports whether the stream has a reader, or one will come.
func (s *stream) isRead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readers > 0
}

// leave undoes expect or startReader.
func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	s.freeLocked()
}

// A portion holds the events to write at one time, copied from the stream, so that its
// lock is not held while the client is written to.
type portion struct {
	events  []event
	first   int // number of events[0]
	last    bool
	taken   bool // by another reader; there is nothing else
	changed <-chan struct{}
}

// after returns the events after number n, which was written. Events of a stream that
// cannot be resumed are dropped once they were written. It does not block: when there are
// none, the caller waits for changed.
func (s *stream) after(n, holder int) portion {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = max(s.sent, n)
	if s.holder != holder {
		return portion{taken: true}
	}
	for s.name == "" && s.first <= n {
		s.dropLocked()
	}
	from := max(n+1, s.first)
	p := portion{first: from, changed: s.changed, last: s.ended || s.suspend}
	if at := from - s.first; at < len(s.events) {
		p.events = append(p.events, s.events[at:]...)
	}
	s.handed, s.waiting = s.first+len(s.events)-1, 0
	return p
}

// reaches reports whether number n is 0 or that of an event, also of one that was
// dropped: the reader then goes on with the oldest that is kept.
func (s *stream) reaches(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return n < s.first+len(s.events)
}

// unsent returns the number of the last event that was written to a client: the events
// behind it are unsent.
func (s *stream) unsent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

var (
	// errNotAuthorized is returned when a key was revoked, has expired or lost scopes.
	errNotAuthorized = errors.New("the credentials of the client are no longer valid")
	// errTaken is returned when another connection reads the stream.
	errTaken = errors.New("another connection has taken the stream over")
)

// copy writes the events after number n until the stream ends or pauses, the client
// disconnects or is no longer admitted, or another connection takes over. It returns nil
// in the first two cases. While there is nothing to write it sends a comment each
// keepAlive, which also finds out whether the client is still there.
func (s *stream) copy(ctx context.Context, out *sink, n int, keepAlive time.Duration, admitted func() bool) error {
	holder := s.startReader()
	defer s.leave()
	timer := time.NewTimer(keepAlive)
	defer timer.Stop()
	for {
		p := s.after(n, holder)
		if p.taken {
			return errTaken
		}
		for i, e := range p.events {
			n = p.first + i
			if err := out.event(s.id(n), e); err != nil {
				return err
			}
		}
		if err := out.flush(); err != nil || p.last {
			return err
		}
		timer.Reset(keepAlive)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.changed:
		case <-timer.C:
			out.comment()
		}
		if !admitted() {
			return errNotAuthorized
		}
	}
}

// id returns the id of event n, "" for streams that cannot be resumed. It is unique in
// the session, as the specification demands, by the name of the stream.
func (s *stream) id(n int) string {
	if s.name == "" {
		return ""
	}
	return s.name + "_" + strconv.Itoa(n)
}
