package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by the methods of a [Log] after Close.
var ErrClosed = errors.New("the audit trail is closed")

// The limits of what a log holds in memory. A log whose disk hangs or is full refuses records
// when it has reached them, so that the server does not grow until it is killed.
const (
	// maxPending limits the bytes of records that wait to be written.
	maxPending = 4 << 20
	// maxUnsynced limits the bytes of lines that wait to be synced. They are
	// held in memory too, to be written again should the sync fail.
	maxUnsynced = 4 << 20
)

// A Log is an audit trail that records can be added to. It may be used by many goroutines.
//
// A record goes through four states. Of each the log has the number of the last record that
// has reached it:
//
//	appended  seq      it has a number and is in the memory of this process
//	written   written  it was passed to write(2), or the store has answered
//	synced    synced   it survives a power cut
//	signed             a signed head covers it; the chain says so
type Log struct {
	backend backend
	now     func() time.Time
	logger  *slog.Logger
	always  bool // Write syncs, and every sync signs
	// idleSign is the time after which the head is signed again though no record was
	// added, 0 for never. It is at least signEvery.
	idleSign time.Duration

	// syncing is held to open, sync, sign or close the chain, writing to add
	// lines to it. The order of locks is syncing, writing, mu.
	syncing, writing lock

	chain     *chain // nil until the chain is open; this and the next five are guarded by writing
	medium    medium
	unwritten *group // a write of it failed; it goes first
	buffer    []byte // memory for the next group
	head      []byte // the last signed head, until it is published
	lost      error  // why what was not synced must be written again, nil if it need not
	renewErr  string // why the last change of the key could not be followed

	timers sync.Pool // of *time.Timer that are stopped
	took   func(step string, took time.Duration)

	written atomic.Uint64 // the last record that survives this process; changed with mu held
	synced  atomic.Uint64 // the last record that survives a power cut; changed with mu held

	mu      sync.Mutex
	open    bool // a chain is there to number records
	closed  bool
	shared  bool       // the last batch had more than one record
	seq     uint64     // of the last record that was appended
	active  *batch     // is being written
	next    *batch     // takes records
	spare   []byte     // memory for the records of the batch after next
	running *syncRound // is under way
	queued  *syncRound // begins after running
	deferred
}

// newLog returns a log that opens its chain with the first record. It starts no goroutine:
// timers start with what they wait for.
func newLog(b backend, now func() time.Time, logger *slog.Logger, always bool) *Log {
	return &Log{
		backend: b, now: now, logger: logger, always: always, syncing: newLock(), writing: newLock(),
		next: newBatch(nil), queued: newSyncRound(),
	}
}

// The steps of storing records.
const (
	stepWrite = "write"
	stepSync  = "sync"
)

// Steps are the steps that [Log.Measure] reports.
var Steps = []string{stepWrite, stepSync}

// Measure makes the log report how long each write and each sync takes, also those that fail.
// The step is one of [Steps]. It is called before the log is used. took is called with
// locks of the log held, from whichever goroutine does the work: it must not block, and must
// not call the log.
func (l *Log) Measure(took func(step string, took time.Duration)) { l.took = took }

// measure reports a step that has just ended.
func (l *Log) measure(step string, began time.Time) {
	if l.took != nil {
		l.took(step, time.Since(began))
	}
}

// Open opens the chain, which the first Append does otherwise: it claims a chain, checks its
// end, and repairs what a crash has left. Calling it early spares the first record that time,
// and shows at start that the trail cannot be written. After an error it may be called again.
// On an open or closed log it does nothing.
func (l *Log) Open() error { return l.ensureOpen() }

// Append adds a record to the chain and returns its number, which is passed to Write or
// Commit. Until one of them returns, the record is in the memory of this process only and is
// lost with it. Records are stored in the order of their numbers; of concurrent calls, either
// comes first.
//
// When too many records wait, Append writes them first, and fails if that fails or takes
// longer than 10 seconds: then the record was not added. After Close it returns [ErrClosed].
func (l *Log) Append(r Record) (uint64, error) {
	if r.Time.IsZero() {
		r.Time = l.now()
	}
	var usual [512]byte
	body := append(r.body(usual[:0]), '\n')
	for {
		seq, full, err := l.number(body)
		switch {
		case err != nil:
			return 0, err
		case full == nil:
			return seq, nil
		}
		if err := l.flush(context.Background(), full, full.last); err != nil {
			return 0, err
		}
	}
}

// number adds a record to the next batch and so gives it a number, or returns that batch if it
// is full. A batch that is empty takes a record of any size.
func (l *Log) number(body []byte) (seq uint64, full *batch, err error) {
	if err := l.ensureOpen(); err != nil {
		return 0, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.next
	switch {
	case l.closed:
		return 0, nil, ErrClosed
	case len(b.bodies) > 0 && len(b.bodies)+len(body) > maxPending:
		return 0, b, nil
	}
	l.seq++
	b.last = l.seq
	b.bodies = strconv.AppendUint(append(b.bodies, seqStart...), l.seq, 10)
	b.bodies = append(b.bodies, body...)
	return l.seq, nil, nil
}

// ensureOpen opens the chain unless it is open. Goroutines that come meanwhile wait for the
// one that opens it, at most maxWait. It returns nil on a closed log: [Log.number] finds that
// out under the lock under which it matters.
func (l *Log) ensureOpen() error {
	l.mu.Lock()
	open, closed := l.open, l.closed
	l.mu.Unlock()
	if open || closed {
		return nil
	}
	if _, err := l.acquire(context.Background(), l.syncing, nil); err != nil {
		return err
	}
	defer l.syncing.release()
	l.writing.acquire()
	defer l.writing.release()
	if l.chain != nil {
		return nil
	}
	c, m, err := l.backend.claim(l.now())
	if err != nil {
		return fmt.Errorf("opening the audit trail: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed { // meanwhile
		return errors.Join(ErrClosed, m.close())
	}
	l.chain, l.medium, l.open = c, m, true
	l.seq = c.seq
	l.written.Store(c.seq)
	l.synced.Store(c.seq)
	l.openedAt = time.Now()
	l.scheduleLocked()
	return nil
}

// Write returns nil when the record with this number, and so every record before it, survives
// the end of this process, however it ends. A timer syncs the records within a second, so a
// power cut may take that much. With [Config.Always] it is the same as Commit.
//
// After an error the records stay in memory, and the next Write or Commit of any record tries
// again; the caller does not append the record a second time. When ctx ends first, or others
// have been writing for 10 seconds, Write returns an error and the record may or may not be
// stored. A number that Append did not return is an error.
func (l *Log) Write(ctx context.Context, seq uint64) error {
	if l.always {
		return l.Commit(ctx, seq)
	}
	for {
		b, err := l.batchOf(seq)
		if b == nil {
			return err
		}
		if err := l.flush(ctx, b, seq); err != nil {
			return err
		}
	}
}

// Commit is like Write, and returns when the records survive a power cut. One write and one
// sync serve all callers that wait. In a store that cannot confirm a sync, see [NewValkey], it
// promises no more than that the store has answered.
func (l *Log) Commit(ctx context.Context, seq uint64) error {
	for {
		r, err := l.syncRoundOf(seq)
		if r == nil {
			return err
		}
		if err := l.syncOnce(ctx, r); err != nil {
			return err
		}
	}
}

// Close writes, syncs and signs what is there and releases the chain, which another process
// may then go on with. No record can be added afterwards, and goroutines that wait in Write or
// Commit get their results. The error says that records may not be stored; Close is not
// repeated then, and the next process that claims the chain reports what is missing. A second
// Close does nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.stopTimerLocked()
	l.mu.Unlock()
	defer l.jobs.Wait()
	l.syncing.acquire()
	defer l.syncing.release()
	l.writing.acquire()
	open := l.chain != nil
	l.writing.release()
	if !open {
		return nil
	}
	err := l.runRound(true)
	l.writing.acquire()
	defer l.writing.release()
	l.chain = nil
	return errors.Join(err, l.medium.close())
}
