package jsonrpc

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// An outbox is a combining writer: a goroutine that finds no write in progress writes;
// the others append their bytes to the queue, which the writer drains before it returns.
// The queue is bounded: past the limit all wait for the other side to read. Lines leave
// in the order in which they were put. After an error nothing is written any more, for a
// line may have been cut.
type outbox struct {
	w      io.Writer
	limit  int
	broken chan<- error // gets the first error, if anybody listens
	// barrier is called once before the writes of all that waits, and returns
	// what puts other lines in the place of some, or nil.
	barrier func() *withholder
	full    atomic.Bool // enough has gathered to be worth a write

	mu      sync.Mutex
	drained sync.Cond // size shrank, or err was set
	// waiting is the queue, in order: buffers of whole lines, of many small
	// messages or of a big one. A buffer that took all would be copied again and again as
	// it grows, and be as large as the most that ever waited.
	waiting [][]byte
	size    int      // and its bytes
	spare   [][]byte // the memory of a former waiting
	unused  [][]byte // memory of lines that were written, the last ones last
	kept    int      // and its bytes
	writing bool
	err     error
}

// keepBuffer is the size up to which a buffer is always kept for later messages,
// and from which on a queue is worth a write.
const keepBuffer = 64 << 10

// keepUsed is the size up to which a buffer is kept while messages fill it.
const keepUsed = 4 << 20

// worthKeeping reports whether to keep a buffer of which that much was used: big
// messages often come in rows, but after one of them small ones may follow.
func worthKeeping(size, used int) bool {
	return size <= 2*keepBuffer || size <= keepUsed && used >= size/16
}

// init makes the outbox one that writes to w and holds up to limit bytes. The first
// error of a write is sent to broken.
func (o *outbox) init(w io.Writer, limit int, broken chan<- error) {
	o.w, o.limit, o.broken = w, limit, broken
	o.drained.L = &o.mu
}

// put adds one message and its newline. With flush set it is written at once, else by the
// next flush, which comes when the queue is full or the reader idle. It blocks while the
// queue is over its limit. The message is the caller's again afterwards.
func (o *outbox) put(message []byte, flush bool) error {
	_, err := o.putOwned(message, flush)
	return err
}

// putOwned is put for a caller that has no more use for the message's memory: what it
// returns may be used instead. A big message is then not copied.
func (o *outbox) putOwned(message []byte, flush bool) (instead []byte, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.size > o.limit && o.writing && o.err == nil {
		o.drained.Wait()
	}
	if o.err != nil {
		return message, o.err
	}
	o.size += len(message) + 1
	if len(message) >= keepBuffer {
		next := o.nextLocked()
		message, *next = *next, append(message, '\n')
	} else {
		last := o.lastLocked()
		*last = append(append(*last, message...), '\n')
	}
	if flush {
		o.drainLocked()
	} else if o.size >= keepBuffer {
		o.full.Store(true)
	}
	return message, o.err
}

// lastLocked returns the buffer that takes a small message.
func (o *outbox) lastLocked() *[]byte {
	if n := len(o.waiting); n > 0 && len(o.waiting[n-1]) < keepBuffer {
		return &o.waiting[n-1]
	}
	return o.nextLocked()
}

// nextLocked begins new lines.
func (o *outbox) nextLocked() *[]byte {
	var next []byte
	if n := len(o.unused) - 1; n >= 0 {
		next, o.unused[n] = o.unused[n], nil
		o.unused, o.kept = o.unused[:n], o.kept-cap(next)
	}
	o.waiting = append(o.waiting, next)
	return &o.waiting[len(o.waiting)-1]
}

// recycleLocked keeps the memory of lines that were written: of one, or of as many
// as may wait.
func (o *outbox) recycleLocked(lines []byte) {
	size := cap(lines)
	if !worthKeeping(size, len(lines)) || len(o.unused) > 0 && o.kept+size > o.limit {
		return
	}
	o.unused, o.kept = append(o.unused, lines[:0]), o.kept+size
}

// flush writes the queue, unless another goroutine is writing already.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drainLocked()
}

// drainLocked writes until nothing waits. It releases the lock while writing; the flag
// writing keeps others from doing the same.
func (o *outbox) drainLocked() {
	if o.writing {
		return
	}
	o.writing = true
	for len(o.waiting) > 0 && o.err == nil {
		out := o.waiting
		o.waiting, o.spare, o.size = o.spare[:0], nil, 0
		o.full.Store(false)
		o.drained.Broadcast()
		o.mu.Unlock()
		held := o.barrier()
		o.mu.Lock()
		o.writeLocked(out, held)
		o.spare = out
	}
	o.writing = false
	o.drained.Broadcast()
}

// writeLocked writes what waited, up to the first error. It releases the lock while
// writing.
func (o *outbox) writeLocked(out [][]byte, held *withholder) {
	for i, lines := range out {
		if o.err == nil {
			o.mu.Unlock()
			_, err := o.w.Write(held.replace(lines))
			o.mu.Lock()
			o.failLocked(err)
		}
		o.recycleLocked(lines)
		out[i] = nil
	}
}

// drain writes the queue and waits until no goroutine is writing.
func (o *outbox) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drainLocked()
	for o.writing && o.err == nil {
		o.drained.Wait()
	}
}

// drainWithin is drain for no longer than d; a write that hangs is left to
// its stream.
func (o *outbox) drainWithin(d time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.drain()
	}()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// fail wakes all that wait and fails every later write.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failLocked(err)
	o.drained.Broadcast()
}

// failLocked records the first error, after which nothing is written any more. mu is
// held.
func (o *outbox) failLocked(err error) {
	if err == nil || o.err != nil {
		return
	}
	o.err = err
	select {
	case o.broken <- err:
	default: // one was enough
	}
}

// failed returns the error of a write that failed, nil if none has.
func (o *outbox) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
