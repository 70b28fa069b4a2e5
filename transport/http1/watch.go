package http1

import (
	"context"
	"sync"
	"time"
)

// watchAfter is the time after which a running request begins to watch its connection.
// Most have ended by then.
const watchAfter = 20 * time.Millisecond

// A watch reads from the connection while a request is handled, to notice that the client
// disconnected: the request's context is cancelled then. Bytes that arrive belong to the
// next request and are appended to the buffer.
//
// A read occupies a goroutine, so it begins only when a request takes longer than
// watchAfter. The timer is made once for each connection.
type watch struct {
	conn  *conn
	timer *time.Timer

	mu      sync.Mutex
	idle    sync.Cond
	cancel  context.CancelFunc // of the request; nil between requests
	began   time.Time          // start of the request
	often   bool               // the request came soon after the one before
	armed   bool               // the timer runs
	until   time.Time          // read deadline
	reading bool
	err     error // of the last read; it is final
}

// init makes the watch of a connection, with a timer that is not running.
func (w *watch) init(c *conn) {
	w.conn, w.idle.L = c, &w.mu
	w.timer = time.AfterFunc(time.Hour, w.tick)
	w.timer.Stop()
}

// begin starts watching for a request, whose context cancel ends. [watch.end] must
// follow.
func (w *watch) begin(now time.Time, cancel context.CancelFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.often = now.Sub(w.began) < watchAfter
	w.cancel, w.began, w.until = cancel, now, now.Add(w.conn.server.cfg.RequestTime)
	if !w.armed {
		w.armed = true
		w.timer.Reset(watchAfter)
	}
}

// end stops watching, waits until no read is under way, and reports whether the
// connection has ended. Where requests come often, the timer keeps running: setting it
// takes longer than all else here.
func (w *watch) end() (gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancel = nil
	if w.armed && !w.often {
		w.armed = !w.timer.Stop()
	}
	if w.reading {
		_ = w.conn.net.SetReadDeadline(time.Unix(1, 0)) // wakes the read; if not, it has failed already
	}
	for w.reading {
		w.idle.Wait()
	}
	return w.err != nil
}

// tick is called by the timer, on a goroutine of its own. It reads if the request is old
// enough, and else sets the timer again: the timer may have been set for the request
// before.
func (w *watch) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	if w.cancel == nil || w.reading {
		return
	}
	if left := watchAfter - time.Since(w.began); left > 0 {
		w.armed = true
		w.timer.Reset(left)
		return
	}
	w.readLocked()
}

// readLocked reads until bytes arrive or the request ends. The lock is not held
// meanwhile: only one read runs at a time, and it alone changes the buffer. After bytes
// have arrived no further read watches this request.
func (w *watch) readLocked() {
	c := w.conn
	if c.n == len(c.buf) { // the body of the request is in the old buffer
		c.grow(c.n + firstBuffer)
	}
	w.reading = true
	c.readUntil = time.Time{}
	_ = c.net.SetReadDeadline(w.until) // the read returns the error
	w.mu.Unlock()
	n, err := c.net.Read(c.buf[c.n:])
	w.mu.Lock()
	w.reading = false
	c.n += n
	if err != nil && w.cancel != nil {
		w.err = err
		w.cancel()
	}
	w.idle.Signal()
}

// abort cancels the running request, if there is one. It may be called from any
// goroutine.
func (w *watch) abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
}

// setUntil sets the read deadline of the running request.
func (w *watch) setUntil(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = t
	if !w.reading {
		return nil
	}
	return w.conn.net.SetReadDeadline(t)
}
