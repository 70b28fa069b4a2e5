package streamable

import (
	"container/list"
	"errors"
	"sync"

	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// parked are the streams of sessions whose readers are gone, oldest first. They are kept
// for clients that come back, and give way to answers whose clients are still there when
// the budget of answers is used up. Its lock is taken after a session's, and not held
// while a stream is dropped.
type parked struct {
	mu      sync.Mutex
	streams list.List // of parkedStream
	at      map[*stream]*list.Element
}

// A parkedStream is a stream without a reader, which its client may resume until it is
// dropped.
type parkedStream struct {
	owner  string
	stream *stream
	drop   func() // makes the session drop the stream
}

// init makes the list.
func (p *parked) init() { p.at = map[*stream]*list.Element{} }

// add adds a stream behind all others. Adding it again changes nothing: its place is
// the time at which its reader left.
func (p *parked) add(owner string, one *stream, drop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at[one] == nil {
		p.at[one] = p.streams.PushBack(parkedStream{owner, one, drop})
	}
}

// remove removes a stream, if it is in the list: its client is back, or it was dropped.
func (p *parked) remove(one *stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.removeLocked(one)
}

// removeLocked is remove with mu held.
func (p *parked) removeLocked(one *stream) {
	if at := p.at[one]; at != nil {
		p.streams.Remove(at)
		delete(p.at, one)
	}
}

// dropOldest drops the oldest stream of the owner, or of all owners when err is
// [budget.ErrTotal]. It reports whether there was one.
func (p *parked) dropOldest(owner string, err error) bool {
	p.mu.Lock()
	var found parkedStream
	for at := p.streams.Front(); at != nil && found.stream == nil; at = at.Next() {
		if one := at.Value.(parkedStream); errors.Is(err, budget.ErrTotal) || one.owner == owner {
			found = one
		}
	}
	p.removeLocked(found.stream)
	p.mu.Unlock()
	if found.stream == nil {
		return false
	}
	found.drop()
	return true
}
