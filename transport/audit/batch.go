package audit

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"
)

// A batch holds records that are written together. It is filled while it is the log's next
// batch, with mu held, and no longer changes once it is the active one.
type batch struct {
	bodies []byte // members of the records, each with a newline
	last   uint64 // number of the last record
	done   chan struct{}
	err    error // valid once done is closed
}

// newBatch returns a batch whose records go into the given memory, nil for new memory.
func newBatch(memory []byte) *batch { return &batch{bodies: memory[:0], done: make(chan struct{})} }

// batchOf returns the batch that holds a record, nil if the record is written. The batch may
// be written by the time the caller looks at it; its done is closed then.
func (l *Log) batchOf(seq uint64) (*batch, error) {
	if seq <= l.written.Load() {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case seq <= l.written.Load():
		return nil, nil
	case seq > l.seq:
		return nil, fmt.Errorf("audit record %d was never appended", seq)
	case l.active != nil && seq <= l.active.last:
		return l.active, nil
	}
	return l.next, nil
}

// flush waits until a batch is written, writing it itself if no other goroutine is: the one
// that gets the lock first writes for all. Where a write alone will not do, as when the file
// is full, it commits the record with the number seq.
func (l *Log) flush(ctx context.Context, b *batch, seq uint64) error {
	done, err := l.acquire(ctx, l.writing, b.done)
	switch {
	case err != nil:
		return err
	case done:
		return b.err
	}
	select {
	case <-b.done:
		l.writing.release()
		return b.err
	default:
	}
	if l.needsSync() {
		l.writing.release()
		return l.Commit(ctx, seq)
	}
	defer l.writing.release()
	return l.writeNext(false)
}

// needsSync reports whether nothing may be written before the next sync: the chain is closed,
// a failed sync must be made good first, too many lines would be lost by a power cut, or the
// next line begins a file. The caller holds writing.
func (l *Log) needsSync() bool {
	return l.chain == nil || l.always || l.lost != nil || l.medium.unsynced() > maxUnsynced || l.medium.isFull(l.now())
}

// writeNext writes the next batch, after the group whose write failed, and ends it with a
// signed head if sign is set. Records that are appended meanwhile go into a new batch. It
// closes the batch's done in any case. The caller holds writing.
func (l *Log) writeNext(sign bool) error {
	l.mu.Lock()
	b := l.next
	l.active, l.next, l.spare = b, newBatch(l.spare), nil
	l.shared = b.last > l.written.Load()+1
	l.mu.Unlock()
	err := l.writeBatch(b, sign)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.setWrittenLocked(b.last)
		l.spare = reusable(b.bodies)
	}
	l.active = nil
	b.err = err
	close(b.done)
	return err
}

// writeBatch writes the group whose write failed before, if there is one, and then the batch
// as a group of its own: the lines of the first have their hashes already, so the batch cannot
// join it. If the first fails, the batch waits for the next write; if the second fails, the
// group of the batch does. The caller holds writing.
func (l *Log) writeBatch(b *batch, sign bool) error {
	if err := l.writeGroup(); err != nil {
		l.requeue(b)
		return err
	}
	if len(b.bodies) == 0 && !sign {
		return nil
	}
	l.unwritten = l.group(b.bodies, sign)
	return l.writeGroup()
}

// writeGroup writes the group that is not written yet, if there is one. After a failure the
// group stays as it is, with its hashes: the medium may have stored it though the answer was
// lost, and finds that out by the same bytes. The caller holds writing.
func (l *Log) writeGroup() error {
	g := l.unwritten
	if g == nil {
		return nil
	}
	began := time.Now()
	err := l.medium.write(g, l.chain)
	l.measure(stepWrite, began)
	if err != nil {
		l.logger.Error("audit records are not written yet", "seq", g.seq, "err", err)
		return fmt.Errorf("writing the audit trail: %w", err)
	}
	l.wrote(g)
	return nil
}

// wrote records that a group is written: the numbers that callers wait for, whether a
// signature is due, and the memory that the next group may use.
func (l *Log) wrote(g *group) {
	l.mu.Lock()
	l.setWrittenLocked(g.seq)
	l.unsigned = l.unsigned && g.head == nil || g.head == nil && len(g.data) > 0
	l.scheduleLocked()
	l.mu.Unlock()
	if g.head != nil {
		l.head = slices.Clone(g.head)
	}
	l.buffer = reusable(g.data)
	l.unwritten = nil
}

// setWrittenLocked advances written, and starts the clock of the deferred sync if all before
// was synced.
func (l *Log) setWrittenLocked(seq uint64) {
	if seq <= l.written.Load() {
		return
	}
	if l.written.Load() == l.synced.Load() {
		l.oldest = time.Now()
	}
	l.written.Store(seq)
}

// reusable returns memory for the next user of its kind, nil if it is too large to be worth
// holding: one burst of records must not occupy memory for the rest of the process.
func reusable(b []byte) []byte {
	const most = 64 << 10
	if cap(b) > most {
		return nil
	}
	return b
}

// requeue puts the records of a batch before those of the next one, so that their numbers stay
// in order. Callers that wait for the batch get its error; those that come later find the
// records in the next one.
func (l *Log) requeue(b *batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next.bodies = append(b.bodies, l.next.bodies...)
	l.next.last = max(l.next.last, b.last)
}

// group makes the lines of some records: notes of the medium, rotations of the key, the
// records, and a signed head if sign is set. From here on the chain has advanced past the
// lines, so the group must be written, or passed to rewrite. The caller holds writing.
func (l *Log) group(bodies []byte, sign bool) *group {
	now := l.now()
	if sign {
		l.renewSigner()
	}
	g := &group{data: slices.Grow(l.buffer[:0], 2*len(bodies)+1024)}
	l.buffer = nil
	if len(bodies) > 0 {
		for _, n := range l.medium.preface(l.chain, now) {
			g.data = l.chain.add(g.data, n.body())
		}
	}
	if sign || len(bodies) > 0 {
		g.data = l.chain.addRotations(g.data)
	}
	for body := range bytes.Lines(bodies) {
		g.data = l.chain.add(g.data, body[:len(body)-1])
		l.chain.seq++
	}
	g.seq = l.chain.seq
	if sign {
		g.sign(l.chain, now)
	}
	return g
}
