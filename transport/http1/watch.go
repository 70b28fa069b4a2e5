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
	cancel  context.CancelFunc // of the request, nil between requests
	until   time.Time          // when reading ends
	reading bool
	err     error // how reading ended, for good
}

func (w *watch) init(c *conn) {
	w.conn, w.idle.L = c, &w.mu
	w.timer = time.AfterFunc(time.Hour, w.read)
	w.timer.Stop()
}

// begin watches over a request.
func (w *watch) begin(now time.Time, cancel context.CancelFunc) {
	w.mu.Lock()
	w.cancel, w.until = cancel, now.Add(w.conn.front.cfg.RequestTime)
	w.mu.Unlock()
	w.timer.Reset(watchAfter)
}

// end ends that.
func (w *watch) end() {
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancel = nil
	if !w.reading {
		return
	}
	_ = w.conn.net.SetReadDeadline(time.Unix(1, 0)) // wakes the read; if not, it has failed already
	for w.reading {
		w.idle.Wait()
	}
}

// gone says whether reading has ended for good. It is for between requests.
func (w *watch) gone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

// read reads until there is something, or the request ends.
func (w *watch) read() {
	c := w.conn
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel == nil || w.reading {
		return
	}
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
