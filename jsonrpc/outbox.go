package jsonrpc

import (
	"io"
	"sync"
)

// An outbox is a combining writer: whoever finds no write in progress writes;
// everybody else leaves bytes behind, and the one who writes takes them along.
// What waits is bounded: past the limit everybody waits for the other side to
// read.
type outbox struct {
	w      io.Writer
	limit  int
	broken chan<- error // gets the first error, if anybody listens

	mu      sync.Mutex
	room    sync.Cond // buf shrank, or err was set
	buf     []byte
	spare   []byte
	writing bool
	err     error
}

// keepBuffer is the largest buffer that is kept for later messages.
const keepBuffer = 64 << 10

func (o *outbox) init(w io.Writer, limit int, broken chan<- error) {
	o.w, o.limit, o.broken = w, limit, broken
	o.room.L = &o.mu
}

// put adds one message and its newline. With flush set it is written at once,
// else when somebody flushes or enough has gathered.
func (o *outbox) put(message []byte, flush bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.buf) > o.limit && o.writing && o.err == nil {
		o.room.Wait()
	}
	if o.err != nil {
		return o.err
	}
	o.buf = append(append(o.buf, message...), '\n')
	if flush || len(o.buf) >= keepBuffer {
		o.drainLocked()
	}
	return o.err
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
		o.room.Broadcast()
		o.mu.Unlock()
		_, err := o.w.Write(out)
		o.mu.Lock()
		o.failLocked(err)
		if cap(out) <= 2*keepBuffer {
			o.spare = out
		}
	}
	o.writing = false
	o.room.Broadcast()
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
