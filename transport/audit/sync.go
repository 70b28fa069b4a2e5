package audit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// A syncRound is one sync that any number of callers wait for. At most two exist: one that
// runs, and one that begins after it. A record that is appended while a round runs may miss
// its write, and waits for the second.
type syncRound struct {
	last uint64 // number of the last record that it syncs, 0 until that is known
	done chan struct{}
	err  error // valid once done is closed
}

// newSyncRound returns a round that is not done.
func newSyncRound() *syncRound { return &syncRound{done: make(chan struct{})} }

// syncRoundOf returns the round that syncs a record, nil if the record is synced. It is the
// running one only if that has said how far it syncs and the record is within.
func (l *Log) syncRoundOf(seq uint64) (*syncRound, error) {
	if seq <= l.synced.Load() {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case seq <= l.synced.Load():
		return nil, nil
	case seq > l.seq:
		return nil, fmt.Errorf("audit record %d was never appended", seq)
	case l.running != nil && seq <= l.running.last:
		return l.running, nil
	}
	return l.queued, nil
}

// syncOnce waits for the end of a round, running it itself if no other goroutine is. The
// caller looks again afterwards: the round may have ended before the record was in it.
func (l *Log) syncOnce(ctx context.Context, r *syncRound) error {
	done, err := l.acquire(ctx, l.syncing, r.done)
	switch {
	case err != nil:
		return err
	case done:
		return r.err
	}
	defer l.syncing.release()
	select {
	case <-r.done:
		return r.err
	default:
	}
	l.mu.Lock()
	shared := l.shared
	l.mu.Unlock()
	if shared {
		runtime.Gosched() // goroutines that are about to append share this sync
	}
	return l.runRound(false)
}

// runRound runs the queued round: it writes what waits, syncs it, and signs the head if that
// is due or finish is set. Its error is that of every caller that waits for the round. The
// caller holds syncing.
func (l *Log) runRound(finish bool) error {
	l.mu.Lock()
	r := l.queued
	l.running, l.queued = r, newSyncRound()
	l.mu.Unlock()
	err := l.sync(r, finish)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = nil
	l.failedAt = time.Time{}
	if err != nil {
		l.failedAt = time.Now()
	}
	l.scheduleLocked()
	r.err = err
	close(r.done)
	return err
}

// sync is one round:
//
//	rewrite what a failed sync has lost        beforeWrite, rewrite
//	sync and sign a file that is full          beforeWrite, endFile
//	write the batch, with a signed head if due writeNext
//	── release writing: others may write ──
//	sync                                       medium.sync
//	publish the signed head                    confirm
//
// It records in r how far it syncs. The caller holds syncing.
func (l *Log) sync(r *syncRound, finish bool) error {
	l.writing.acquire()
	if l.chain == nil {
		l.writing.release()
		return ErrClosed
	}
	if err := l.beforeWrite(); err != nil {
		l.writing.release()
		return err
	}
	err := l.writeNext(l.signs(finish))
	s := l.snapshot()
	l.writing.release()
	if err != nil {
		return err
	}
	l.mu.Lock()
	r.last = s.last
	l.mu.Unlock()
	return l.syncTo(s)
}

// A snapshot says what a sync covers. It is taken with writing held and used after that was
// released.
type snapshot struct {
	mark mark
	last uint64    // number of the last record
	head []byte    // the signed head among the lines, nil if there is none
	at   time.Time // when it was taken
}

// snapshot covers all that is written: what is written after it, while the sync runs without
// the lock, is not in it. The caller holds writing.
func (l *Log) snapshot() snapshot {
	return snapshot{mark: l.medium.mark(), last: l.written.Load(), head: l.head, at: time.Now()}
}

// signs reports whether this round signs the head: if something is not signed yet, and the
// last signature is long enough ago. A round that finishes signs also with a key that has just
// replaced another: without that, what the old key has signed is not trusted when that was
// compromised. The caller holds writing.
func (l *Log) signs(finish bool) bool {
	if finish {
		l.renewSigner()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := l.unsigned || finish && len(l.chain.pending) > 0 || l.unwritten != nil || len(l.next.bodies) > 0 ||
		l.idleSign > 0 && !time.Now().Before(l.idleDueLocked())
	return waiting && (finish || l.always || time.Since(l.signedAt) >= signEvery)
}

// beforeWrite brings the medium into a state in which lines can be added: what a failed sync
// has lost is written again, and a file that is full is synced and signed, so that the next
// line begins another. The caller holds syncing and writing.
func (l *Log) beforeWrite() error {
	if l.lost != nil {
		if err := l.rewrite(); err != nil {
			return err
		}
	}
	if !l.medium.isFull(l.now()) {
		return nil
	}
	if l.unfinished() {
		if err := l.endFile(); err != nil {
			return err
		}
	}
	l.medium.rotate()
	return nil
}

// endFile syncs and signs all that is written, so that a file ends with a signed head and
// nothing of it can be lost once the next one has begun. The caller holds syncing and writing.
func (l *Log) endFile() error {
	if err := l.writeGroup(); err != nil {
		return err
	}
	l.unwritten = l.group(nil, true)
	if err := l.writeGroup(); err != nil {
		return err
	}
	s := l.snapshot()
	if err := l.syncMedium(s.mark); err != nil {
		l.lost = err
		return l.rewrite()
	}
	return l.confirm(s)
}

// syncMedium syncs the lines up to a mark.
func (l *Log) syncMedium(m mark) error {
	began := time.Now()
	err := l.medium.sync(m)
	l.measure(stepSync, began)
	return err
}

// unfinished reports whether lines are not synced or not signed. The caller holds writing.
func (l *Log) unfinished() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unsigned || l.written.Load() != l.synced.Load() || l.unwritten != nil
}

// syncTo syncs all lines of a snapshot. If that fails, they are written again: after a failed
// sync Linux takes pages for clean that are not on disk, so a second sync of the same file
// would succeed and prove nothing. The caller holds syncing, and not writing.
func (l *Log) syncTo(s snapshot) error {
	err := l.syncMedium(s.mark)
	l.writing.acquire()
	defer l.writing.release()
	if err == nil {
		return l.confirm(s)
	}
	l.logger.Error("syncing the audit trail failed; what is not on disk is written again", "err", err)
	l.lost = err
	return l.rewrite()
}

// confirm records that a snapshot is synced and publishes the signed head in it. If that
// fails, the head is published by a later round, and the lines are synced all the same. The
// caller holds writing.
func (l *Log) confirm(s snapshot) error {
	l.medium.confirm(s.mark)
	l.mu.Lock()
	l.synced.Store(max(l.synced.Load(), s.last))
	l.oldest = s.at // what was written meanwhile is younger
	if s.head != nil {
		l.signedAt = s.at
	}
	l.mu.Unlock()
	if s.head == nil {
		return nil
	}
	if err := l.medium.publish(s.head); err != nil {
		return fmt.Errorf("publishing the signed head of the audit trail: %w", err)
	}
	if string(l.head) == string(s.head) {
		l.head = nil
	}
	return nil
}

// rewrite writes all lines again that are not synced. If that fails too, lost stays set, and
// the next round begins with it. The caller holds syncing and writing.
func (l *Log) rewrite() error {
	last := l.written.Load()
	if l.unwritten != nil {
		last = l.unwritten.seq
	}
	if err := l.medium.rewrite(l.chain, l.unwritten, l.now()); err != nil {
		l.logger.Error("the audit trail cannot be written again", "err", err)
		return fmt.Errorf("writing the audit trail again: %w", errors.Join(l.lost, err))
	}
	l.logger.Warn("the audit trail is written again", "seq", last)
	l.lost, l.head, l.unwritten = nil, nil, nil
	l.mu.Lock()
	l.setWrittenLocked(last)
	l.unsigned = true
	l.mu.Unlock()
	return l.confirm(l.snapshot())
}

// finish writes, syncs and signs what was appended so far. A log that has not been used, or is
// closed, has nothing to finish.
func (l *Log) finish(ctx context.Context) error {
	l.mu.Lock()
	idle := !l.open || l.closed
	l.mu.Unlock()
	if idle {
		return nil
	}
	if _, err := l.acquire(ctx, l.syncing, nil); err != nil {
		return err
	}
	defer l.syncing.release()
	return l.runRound(true)
}

// renewSigner makes the chain go on with the key of the folder if that was rotated. It is
// called before each signature, which is the only use of the key. Where the new key cannot be
// read, the old one signs, and the log says so once. The caller holds writing.
func (l *Log) renewSigner() {
	next, err := l.backend.renewedSigner(l.chain.signer)
	switch {
	case err != nil && err.Error() != l.renewErr:
		l.renewErr = err.Error()
		l.logger.Warn("the audit trail is signed with the key as before", "err", err)
	case err != nil:
	case next != nil:
		l.renewErr = ""
		l.logger.Info("the audit trail is signed with a new key", "key", Fingerprint(next.public()))
		*l.chain.signer = *next
		l.chain.pending = next.rotations
	}
}
