package audit

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"time"
)

// A group is some lines of a chain that are kept together; its last line is
// the seal.
type group struct {
	data []byte // lines with their newlines
	seal []byte // the last line without its newline
	seq  uint64 // of the last record
}

// A flight is a batch of records on the way into one group.
type flight struct {
	bodies []byte // members of the records, each with a newline
	last   uint64 // number of the last record
	done   chan struct{}
	err    error // good once done is closed
}

// newFlight is a flight whose bodies go into the memory of room.
func newFlight(room []byte) *flight { return &flight{bodies: room[:0], done: make(chan struct{})} }

// flightOf is the flight that decides about a record, nil when it is kept.
func (l *Log) flightOf(seq uint64) (*flight, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case seq <= l.durable:
		return nil, nil
	case seq > l.seq:
		return nil, fmt.Errorf("audit record %d was never taken", seq)
	case l.flying != nil && seq <= l.flying.last:
		return l.flying, nil
	}
	return l.current, nil
}

// land waits for the end of a flight, and pilots it when nobody else does.
func (l *Log) land(ctx context.Context, f *flight) error {
	if landed, err := l.queue(ctx, f); landed || err != nil {
		return err
	}
	defer func() { <-l.turn }()
	if l.company {
		runtime.Gosched() // whoever is about to add a record gets on board: a seal costs the same for many
	}
	select {
	case <-f.done:
		return f.err
	default:
		return l.fly(f)
	}
}

// maxWait is how long a caller waits for others that open the chain or write: a
// disk may hang.
const maxWait = 10 * time.Second

var errHangs = fmt.Errorf("writing the audit trail takes longer than %v", maxWait)

// queue waits for the end of a flight or for the turn to pilot it. A caller
// without rivals has no use for a timer.
func (l *Log) queue(ctx context.Context, f *flight) (landed bool, err error) {
	select {
	case <-f.done:
		return true, f.err
	case l.turn <- struct{}{}:
		return false, nil
	default:
	}
	timer, _ := l.timers.Get().(*time.Timer)
	if timer == nil {
		timer = time.NewTimer(maxWait)
	} else {
		timer.Reset(maxWait)
	}
	defer l.timers.Put(timer)
	defer timer.Stop()
	select {
	case <-f.done:
		return true, f.err
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
		return false, errHangs
	case l.turn <- struct{}{}:
		return false, nil
	}
}

// fly writes the records of the current flight, after those that are stuck.
// The caller has the turn.
func (l *Log) fly(f *flight) error {
	l.mu.Lock()
	l.flying, l.current, l.spare = f, newFlight(l.spare), nil
	l.company = f.last > l.durable+1
	l.mu.Unlock()
	err := l.flush(f)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.durable = max(l.durable, f.last)
		l.spare = reusable(f.bodies)
	}
	l.flying = nil
	f.err = err
	close(f.done)
	return err
}

// flush writes what is stuck and then the flight. What could not be written
// is stuck from then on.
func (l *Log) flush(f *flight) error {
	if err := l.unstick(); err != nil {
		l.hold(f)
		return err
	}
	if len(f.bodies) == 0 {
		return nil
	}
	l.stuck = l.group(f.bodies)
	return l.unstick()
}

// unstick writes the stuck group, if there is one.
func (l *Log) unstick() error {
	if l.stuck == nil {
		return nil
	}
	if err := l.store.write(l.stuck); err != nil {
		l.logger.Error("audit records are not kept yet", "seq", l.stuck.seq, "err", err)
		return fmt.Errorf("keeping the audit trail: %w", err)
	}
	l.settle(l.stuck.seq)
	l.room = reusable(l.stuck.data)
	l.stuck = nil
	return nil
}

// reusable is memory that the next of its kind may have: a heap of records is
// rare.
func reusable(b []byte) []byte {
	const most = 64 << 10
	if cap(b) > most {
		return nil
	}
	return b
}

// hold puts the records of a flight that did not take off before those of the
// next one.
func (l *Log) hold(f *flight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current.bodies = append(f.bodies, l.current.bodies...)
	l.current.last = max(l.current.last, f.last)
}

// settle remembers that records are kept.
func (l *Log) settle(seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.durable = max(l.durable, seq)
}

// group makes a group of records: their lines, chained and sealed.
func (l *Log) group(bodies []byte) *group {
	now := l.now()
	g := &group{data: slices.Grow(l.room[:0], 2*len(bodies)+1024)}
	l.room = nil
	for _, n := range l.store.preface(l.chain, now) {
		g.data = l.chain.add(g.data, n.body())
	}
	for body := range bytes.Lines(bodies) {
		g.data = l.chain.add(g.data, body[:len(body)-1])
		l.chain.seq++
	}
	g.finish(l.chain, now)
	return g
}

// finish seals the group.
func (g *group) finish(c *chain, now time.Time) {
	start := len(g.data)
	g.data = c.seal(g.data, now)
	g.seal = g.data[start : len(g.data)-1]
	g.seq = c.seq
}

// lines are the lines of the group without their newlines.
func (g *group) lines() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for text := range bytes.Lines(g.data) {
			if !yield(text[:len(text)-1]) {
				return
			}
		}
	}
}
