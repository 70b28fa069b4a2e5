package streamable

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// A stream is a row of server-sent events. Whoever has something to say
// appends; one goroutine at a time, the HTTP server's, copies to the client. A stream
// of a session keeps what it copied, so that a client that lost its connection
// can come back.
type stream struct {
	name  string // before the number in event ids; "" for events without ids
	prime bool   // whether it begins with an event without data

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when something changed
	events  []event
	first   int // number of events[0]; numbers begin with 1
	bytes   int // of events
	handed  int // number of the last event that a copy got; only with a name "" are these dropped when written
	waiting int // bytes of events behind it
	hold    *budget.Hold
	ended   bool
	closed  bool // no reader may come any more
	readers int
	sent    int  // number of the last event that was written to anybody
	holder  int  // counts who copies; an earlier one has to stop
	suspend bool // the next copy stops when all is written
}

type event struct {
	data  []byte        // one JSON message, nil for none
	retry time.Duration // when to come back, 0 says nothing
}

// size is what the budget is charged for the event: its data, and about what the
// row needs for it.
func (e event) size() int {
	if e.data == nil {
		return 0
	}
	return cap(e.data) + 64
}

// maxKept bounds the bytes of a stream's events that nobody has read or that
// are kept for coming back.
const maxKept = 1 << 20

// errOverflow reports a client that does not read its stream.
var errOverflow = errors.New("the client does not read its stream")

func newStream(name string, prime bool, hold *budget.Hold) *stream {
	s := &stream{name: name, prime: prime, first: 1, changed: make(chan struct{}), hold: hold}
	if prime {
		s.events = append(s.events, event{retry: reconnectDelay})
	}
	return s
}

// reconnectDelay is what clients are told to wait before they ask again.
const reconnectDelay = time.Second

// append adds a message. It never blocks: past the bound, or without memory for
// it, a stream without a session ends, and one of a session drops its oldest
// messages.
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

// addLocked adds a message if there is memory for it.
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

// finish adds the last message, which may be nil for none. When there is no
// memory for it, it returns the error and the stream goes on.
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

// close ends the stream. Its memory is freed as soon as its readers have left.
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

// freeLocked ends a stream that nobody reads nor can find, and frees its memory.
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

// pause lets whoever copies stop when all is written: the client is told when
// to come back for the rest.
func (s *stream) pause(retry time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event{retry: retry})
	s.suspend = true
	s.notifyLocked()
}

// held is how many bytes the stream keeps.
func (s *stream) held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// over reports whether nothing follows.
func (s *stream) hasEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// dropLocked drops the oldest event.
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

func (s *stream) notifyLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// take makes the caller the one who copies. Whoever takes over from another is
// the client that came back.
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

// expect counts a reader that will come, until leave.
func (s *stream) expect() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers++
	return s
}

// leave ends what expect or take began.
func (s *stream) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	s.freeLocked()
}

// A portion is what there is to write at one time.
type portion struct {
	events  []event
	first   int // number of events[0]
	last    bool
	taken   bool // by another reader; there is nothing else
	changed <-chan struct{}
}

// after returns the events behind number n, which was written.
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

// reaches reports whether there has been an event of that number; of number 0
// there is always one, before the first.
func (s *stream) reaches(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return n < s.first+len(s.events)
}

// unsent is the number behind which nothing was written to anybody.
func (s *stream) unsent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

var (
	// errNotAuthorized reports a client whose key was revoked, has expired or lost rights.
	errNotAuthorized = errors.New("the client would not be let in any more")
	// errTaken reports a stream that another connection reads now.
	errTaken = errors.New("another connection has taken the stream over")
)

// copy writes the events behind number n until the stream ends or pauses, the
// client is gone or not admitted any more, or another connection takes the
// stream over.
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

func (s *stream) id(n int) string {
	if s.name == "" {
		return ""
	}
	return s.name + "_" + strconv.Itoa(n)
}
