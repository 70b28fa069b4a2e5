package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// ErrClosed is the answer of a [Log] after Close.
var ErrClosed = errors.New("the audit trail is closed")

// maxPending is how many bytes of records may wait to be written.
const maxPending = 4 << 20

// A Log is an audit trail that records can be added to. It may be used by many
// goroutines.
type Log struct {
	keeper keeper
	now    func() time.Time
	logger *slog.Logger

	// turn is held by whoever opens, writes or closes the chain. It comes
	// before mu.
	turn  chan struct{}
	chain *chain // nil until the first record; like the next two under turn
	store medium
	stuck *group // could not be written and goes first

	timers sync.Pool // of *time.Timer that are stopped

	mu      sync.Mutex
	open    bool // a chain is there to number records
	closed  bool
	seq     uint64 // of the last record taken
	durable uint64 // of the last record that is kept for good
	flying  *flight
	current *flight // takes records
}

// A keeper is where chains are kept.
type keeper interface {
	// claim finds or makes a chain that nobody else adds to.
	claim(now time.Time) (*chain, medium, error)
	// chains are all chains there are, in order of id.
	chains(ctx context.Context) ([]stored, error)
	// publicKey is the key that seals are trusted with.
	publicKey() (ed25519.PublicKey, error)
}

// A medium takes the groups of one chain.
type medium interface {
	// preface returns the notes that come before the records of the next
	// group.
	preface(c *chain, now time.Time) []note
	// write keeps a group for good, or fails. After a failure the same group
	// comes again, and may turn out to be there already.
	write(g *group) error
	close() error
}

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

func newFlight() *flight { return &flight{done: make(chan struct{})} }

// newLog makes a log that opens its chain with the first record.
func newLog(k keeper, now func() time.Time, logger *slog.Logger) *Log {
	return &Log{keeper: k, now: now, logger: logger, turn: make(chan struct{}, 1), current: newFlight()}
}

// Append adds a record to the chain and returns its number. The record waits
// in memory until somebody calls Commit. When too many wait, Append writes
// them first, and fails if that fails, or if others have been opening the chain
// for 10 seconds: then the record was not taken.
func (l *Log) Append(r Record) (uint64, error) {
	if r.Time.IsZero() {
		r.Time = l.now()
	}
	body := append(r.body(make([]byte, 0, 256)), '\n')
	for {
		seq, full, err := l.take(body)
		switch {
		case err != nil:
			return 0, err
		case full == nil:
			return seq, nil
		}
		if err := l.land(context.Background(), full); err != nil {
			return 0, err
		}
	}
}

// take gives the record a number, or returns the flight that has no room left.
func (l *Log) take(body []byte) (seq uint64, full *flight, err error) {
	if err := l.ensureOpen(); err != nil {
		return 0, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.current
	switch {
	case l.closed:
		return 0, nil, ErrClosed
	case len(f.bodies) > 0 && len(f.bodies)+len(body) > maxPending:
		return 0, f, nil
	}
	l.seq++
	f.last = l.seq
	f.bodies = strconv.AppendUint(append(f.bodies, seqStart...), l.seq, 10)
	f.bodies = append(f.bodies, body...)
	return l.seq, nil, nil
}

// ensureOpen opens the chain unless it is open.
func (l *Log) ensureOpen() error {
	l.mu.Lock()
	open, closed := l.open, l.closed
	l.mu.Unlock()
	if open || closed {
		return nil
	}
	if _, err := l.queue(context.Background(), newFlight()); err != nil { // none lands before
		return err
	}
	defer func() { <-l.turn }()
	if l.chain != nil {
		return nil
	}
	c, m, err := l.keeper.claim(l.now())
	if err != nil {
		return fmt.Errorf("opening the audit trail: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed { // meanwhile
		return errors.Join(ErrClosed, m.close())
	}
	l.chain, l.store, l.open = c, m, true
	l.seq, l.durable = c.seq, c.seq
	return nil
}

// Commit returns when the record with this number, and so all before it, are
// kept for good. One write and one sync serve all who wait. After an error the
// records stay in memory and the next Commit tries again. When ctx ends first,
// or others have been writing for 10 seconds, that is the error, and the record
// may or may not be kept; the caller that does the writing finishes it.
func (l *Log) Commit(ctx context.Context, seq uint64) error {
	for {
		f, err := l.flightOf(seq)
		if f == nil {
			return err
		}
		if err := l.land(ctx, f); err != nil {
			return err
		}
	}
}

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
	runtime.Gosched() // whoever is about to add a record gets on board: a seal costs the same for many
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
	l.flying, l.current = f, newFlight()
	l.mu.Unlock()
	err := l.flush(f)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.durable = max(l.durable, f.last)
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
	l.stuck = nil
	return nil
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
	g := &group{data: make([]byte, 0, 2*len(bodies)+1024)}
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

// Close writes what waits and lets go of the chain. No record can be added
// afterwards. A second Close does nothing.
func (l *Log) Close() error {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	f := l.current
	l.mu.Unlock()
	if l.chain == nil {
		return nil
	}
	return errors.Join(l.fly(f), l.store.close())
}
