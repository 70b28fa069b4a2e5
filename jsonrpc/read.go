package jsonrpc

import (
	"context"
	"errors"
	"io"
	"time"
)

// read is the reading role: it takes lines and runs their handlers, until input ends or
// the monitor takes the role away because a handler runs long. It returns then without
// touching the connection again: another goroutine reads. Exactly one goroutine has the
// role at a time, and it alone uses the fields of Conn that are said to belong to it.
func (c *Conn) read() {
	for !c.served.Load() {
		if c.out.full.Load() && !c.flush() {
			return
		}
		line, ok, err := c.lines.buffered()
		switch {
		case err != nil:
			c.refuse(c.lines.lost.id(), tooLong(c.cfg.MaxMessage))
		case ok:
			if !c.handleLine(line) {
				return
			}
		default:
			if !c.flush() { // about to block: nothing may wait for us
				return
			}
			began := time.Now()
			c.readerIdle.Store(true)
			last, err := c.lines.fill()
			c.readerIdle.Store(false)
			if err != nil {
				c.finish(last, err, time.Since(began))
				return
			}
		}
	}
}

// silence is the pause before the end of input that tells a client which hung up
// from a pipe or file, whose end follows its last message at once.
const silence = 100 * time.Millisecond

// finish serves a last line without newline, waits for all that is in flight and ends the
// connection. What we asked the other side stays unanswered. An error of the stream other
// than [io.EOF] counts as its end: no more can be read in either case.
func (c *Conn) finish(last []byte, err error, waited time.Duration) {
	if len(last) > 0 && !c.handleLine(last) {
		return // the new reader finds the end again
	}
	if errors.Is(err, errTooLong) {
		c.refuse(c.lines.lost.id(), tooLong(c.cfg.MaxMessage))
	}
	if waited >= silence {
		c.closeInput()
	}
	c.calls.close()
	c.scheduler.idle()
	c.out.drain()
	if !errors.Is(err, io.EOF) {
		c.cfg.Logger.Debug("input ended", "err", err)
	}
	close(c.drained)
}

// handleLine handles one line and reports whether the reading role is still ours. Empty
// lines are passed over. While the connection drains, batches are dropped whole.
func (c *Conn) handleLine(line []byte) bool {
	if len(line) == 0 || skipSpace(line, 0) == len(line) {
		return true
	}
	if isBatch(line) {
		if !c.draining.Load() {
			c.handleBatch(line)
		}
		return true
	}
	c.decoder.decode(line, &c.message)
	return c.handleMessage(&c.message)
}

// handleMessage does what the kind of a message asks for: a response wakes the call
// that waits for it, a notification is offered to the preempter first, a request is run
// or queued. It reports whether this goroutine is still the reader; if not, another one
// has taken over while a handler ran.
func (c *Conn) handleMessage(m *message) bool {
	switch {
	case m.kind == isBroken:
		c.refuse(m.request.ID, m.err)
	case m.kind == isResponse:
		c.calls.answer(&m.response)
	case m.request.IsNotification() && c.preempt != nil && c.preempt.Preempt(&m.request):
	case c.draining.Load(): // no answer can be delivered
	case m.request.IsNotification():
		return c.run(c.newJob(&m.request))
	default:
		return c.handleRequest(&m.request)
	}
	return true
}

// handleRequest runs the request here when nothing is in its way, else queues it for the
// next goroutine that is done. While nothing else runs, its sequence is not even asked
// for: the reader handles one at a time anyway. An id that is still being answered is
// refused, for two answers with one id could not be told apart, unless the handler is an
// [IDReuser] that lets the second request wait.
func (c *Conn) handleRequest(req *Request) bool {
	j := c.newJob(req)
	if c.scheduler.quiet.Load() {
		return c.run(j)
	}
	if c.sequencer != nil {
		j.sequence = c.sequencer.Sequence(req)
	}
	switch c.scheduler.admit(j) {
	case runHere:
		return c.run(j)
	case duplicate:
		c.refuse(req.ID, invalidRequest("a request with this id is still being answered"))
	case queued:
	}
	return true
}

// run runs a handler on the reading goroutine and reports whether it still has the
// reading role afterwards. If not, this goroutine sends the answer and then works off the
// queue, as any other that ran a job.
func (c *Conn) run(j *job) bool {
	j.out = c.scratch[:0]
	if c.blocking != nil && c.blocking.Blocks(&j.req) {
		j.run()
		c.done(j)
		return true
	}
	turn := c.beginTurn(j)
	j.run()
	if c.endTurn(turn) {
		c.done(j)
		return true
	}
	c.scheduler.work(j)
	return false
}

// done answers a job that ran on the reading goroutine to its end.
func (c *Conn) done(j *job) {
	j.ctx.end(context.Canceled)
	used := len(j.out)
	j.send(false)
	if c.scratch = nil; worthKeeping(cap(j.out), used) {
		c.scratch = j.out
	}
	j.sequence, j.out = "", nil
	c.spare = j
}

// flush writes what waits and reports whether the reading role is still ours: a write may
// block for as long as the other side does not read, and its requests must be read all
// the same.
func (c *Conn) flush() bool {
	turn := c.beginTurn(nil)
	c.out.flush()
	return c.endTurn(turn)
}
