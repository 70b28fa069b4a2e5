package http1

import (
	"context"
	"sync"
	"time"
)

// watchAfter is how long a request runs before somebody looks whether its
// client is still there. Most have ended by then.
const watchAfter = 20 * time.Millisecond

// A watch reads on while a request is handled, to learn that the client has
// gone. What comes instead belongs to the next request.
type watch struct {
	conn  *conn
	timer *time.Timer

	mu      sync.Mutex
	idle    sync.Cond
	cancel  context.CancelFunc // of the request; nil between requests
	began   time.Time          // when that did
	often   bool               // whether that came soon after the one before it
	armed   bool               // whether the timer runs, until some time at which the request is not too old
	until   time.Time          // when reading ends
	reading bool
	err     error // how reading ended, for good
}

func (w *watch) init(c *conn) {
	w.conn, w.idle.L = c, &w.mu
	w.timer = time.AfterFunc(time.Hour, w.look)
	w.timer.Stop()
}

// begin watches over a request.
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

// end ends that, and says whether reading has ended for good. Where requests come
// often, the timer goes on: to set it for each takes longer than all else here.
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

// look is what the timer does: it reads if the request is old enough, and else
// comes again when it is.
func (w *watch) look() {
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

// readLocked reads until there is something, or the request ends.
func (w *watch) readLocked() {
	c := w.conn
	if c.n == len(c.buf) { // the handler has its body in the old one
		c.grow(c.n + firstBuffer)
	}
	w.reading = true
	c.readUntil = time.Time{}
	_ = c.net.SetReadDeadline(w.until) // the read tells of a closed connection
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

// abort ends the context of the request that is handled.
func (w *watch) abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
}

// setUntil is another end of reading, for the request that is handled.
func (w *watch) setUntil(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = t
	if !w.reading {
		return nil
	}
	return w.conn.net.SetReadDeadline(t)
}
