package jsonrpc

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// An outbox is a combining writer: whoever finds no write in progress writes;
// everybody else leaves bytes behind, and the one who writes takes them along.
// What waits is bounded: past the limit everybody waits for the other side to
// read.
type outbox struct {
	w      io.Writer
	limit  int
	broken chan<- error // gets the first error, if anybody listens
	// barrier returns what may be written in place of lines.
	barrier func(lines []byte) []byte
	full    atomic.Bool // enough has gathered to be worth a write

	mu      sync.Mutex
	room    sync.Cond // buf shrank, or err was set
	buf     []byte
	spare   []byte
	writing bool
	err     error
}

// keepBuffer is how large a buffer may be that is always kept for later
// messages, and how much is worth a write.
const keepBuffer = 64 << 10

// keepUsed is how large one may be that is kept while it is used.
const keepUsed = 4 << 20

// worthKeeping says whether to keep a buffer of which that much was used: big
// messages often come in rows, but after one of them small ones may follow.
func worthKeeping(size, used int) bool {
	return size <= 2*keepBuffer || size <= keepUsed && used >= size/16
}

func (o *outbox) init(w io.Writer, limit int, broken chan<- error) {
	o.w, o.limit, o.broken = w, limit, broken
	o.room.L = &o.mu
}

// put adds one message and its newline. With flush set it is written at once,
// else when somebody flushes, which the reader does when it is full.
func (o *outbox) put(message []byte, flush bool) error {
	_, err := o.give(message, flush)
	return err
}

// give is put by one who has no more use for the message's memory: what it
// returns may be used instead. A big message is then not copied.
func (o *outbox) give(message []byte, flush bool) (instead []byte, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.buf) > o.limit && o.writing && o.err == nil {
		o.room.Wait()
	}
	if o.err != nil {
		return message, o.err
	}
	if len(o.buf) == 0 && len(message) >= keepBuffer {
		message, o.buf = o.buf, message
		o.buf = append(o.buf, '\n')
	} else {
		o.buf = append(append(o.buf, message...), '\n')
	}
	if flush {
		o.drainLocked()
	} else if len(o.buf) >= keepBuffer {
		o.full.Store(true)
	}
	return message, o.err
}

// flush writes what waits, unless somebody else is writing already.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drainLocked()
}

// drainLocked writes until nothing waits. It lets go of the lock while writing.
func (o *outbox) drainLocked() {
	if o.writing {
		return
	}
	o.writing = true
	for len(o.buf) > 0 && o.err == nil {
		out := o.buf
		o.buf, o.spare = o.spare[:0], nil
		o.full.Store(false)
		o.room.Broadcast()
		o.mu.Unlock()
		out = o.barrier(out)
		_, err := o.w.Write(out)
		o.mu.Lock()
		o.failLocked(err)
		if worthKeeping(cap(out), len(out)) {
			o.spare = out
		}
	}
	o.writing = false
	o.room.Broadcast()
}

// settle writes what waits and waits for whoever is writing.
func (o *outbox) settle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drainLocked()
	for o.writing && o.err == nil {
		o.room.Wait()
	}
}

// settleWithin is settle for no longer than d; a write that hangs is left to
// its stream.
func (o *outbox) settleWithin(d time.Duration) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.settle()
	}()
	select {
	case <-done:
	case <-time.After(d):
	}
}

// fail lets nobody wait any more.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failLocked(err)
	o.room.Broadcast()
}

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

func (o *outbox) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
