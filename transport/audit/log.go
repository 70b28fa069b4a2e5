package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
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
	chain *chain // nil until the first record; like the next four under turn
	store medium
	stuck *group // could not be written and goes first
	room  []byte // for the next group

	company bool // the last flight had more than one record

	timers sync.Pool // of *time.Timer that are stopped

	mu      sync.Mutex
	open    bool // a chain is there to number records
	closed  bool
	seq     uint64 // of the last record taken
	durable uint64 // of the last record that is kept for good
	flying  *flight
	current *flight // takes records
	spare   []byte  // for the bodies of the one after it
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

// newLog makes a log that opens its chain with the first record.
func newLog(k keeper, now func() time.Time, logger *slog.Logger) *Log {
	return &Log{keeper: k, now: now, logger: logger, turn: make(chan struct{}, 1), current: newFlight(nil)}
}

// Append adds a record to the chain and returns its number. The record waits
// in memory until somebody calls Commit. When too many wait, Append writes
// them first, and fails if that fails, or if others have been opening the chain
// for 10 seconds: then the record was not taken.
func (l *Log) Append(r Record) (uint64, error) {
	if r.Time.IsZero() {
		r.Time = l.now()
	}
	var usual [512]byte
	body := append(r.body(usual[:0]), '\n')
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
	if _, err := l.queue(context.Background(), newFlight(nil)); err != nil { // none lands before
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
