package jsonrpc

import (
	"context"
	"strconv"
	"sync"
)

// calls holds the requests that this side sent and whose answers are outstanding.
type calls struct {
	mu     sync.Mutex
	last   int64
	open   map[int64]*pendingCall
	free   []*pendingCall // to use again, at most maxFree
	closed bool
}

// A pendingCall is a request that waits for its answer. Those whose answer came
// are used again.
type pendingCall struct {
	id     int64
	answer chan Response // holds one; closed when the connection has ended
	line   []byte        // memory for the request
}

// maxFree is the number of pending calls that are kept for later calls.
const maxFree = 64

// init makes the table of calls that wait for answers. It is called once, before any
// other method.
func (c *calls) init() { c.open = map[int64]*pendingCall{} }

// begin registers a call under a new id, or returns [ErrClosed]. Ids are numbers that
// count up; they are never used again on this connection.
func (c *calls) begin() (*pendingCall, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	var p *pendingCall
	if n := len(c.free) - 1; n >= 0 {
		p, c.free = c.free[n], c.free[:n]
	} else {
		p = &pendingCall{answer: make(chan Response, 1)}
	}
	c.last++
	p.id = c.last
	c.open[p.id] = p
	return p, nil
}

// forget ends a call whose answer is not wanted any more. Its pendingCall is not used
// again, since an answer may be on its way into it.
func (c *calls) forget(p *pendingCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, p.id)
}

// release keeps a call whose answer was received for a later one. The memory of a
// large line belongs to the outbox now.
func (c *calls) release(p *pendingCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.free) < maxFree && cap(p.line) < keepBuffer {
		c.free = append(c.free, p)
	}
}

// answer passes a response to the Call that waits for it. A response without one
// is dropped.
func (c *calls) answer(r *Response) {
	id, ok := parseInt(r.ID.raw)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.open[id]
	if waiting == nil {
		return
	}
	delete(c.open, id)
	waiting.answer <- Response{Result: append([]byte(nil), r.Result...), Error: r.Error}
}

// close ends all waiting calls, and lets later ones fail. It may be called more than
// once.
func (c *calls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, waiting := range c.open {
		close(waiting.answer)
	}
	clear(c.open)
}

// Call sends a request to the other side and waits for its result. params are JSON, nil
// for none. When ctx is done first, it returns ctx's error and a later answer is ignored;
// the other side is not told. It returns [ErrClosed] when the connection ends first, and
// the other side's error as an [*Error].
func (c *Conn) Call(ctx context.Context, method string, params []byte) ([]byte, error) {
	p, err := c.calls.begin()
	if err != nil {
		return nil, err
	}
	line := strconv.AppendInt(append(p.line[:0], `{"jsonrpc":"2.0","id":`...), p.id, 10)
	p.line = appendCall(append(line, ','), method, params)
	if err := c.out.put(p.line, true); err != nil {
		c.calls.forget(p)
		return nil, err
	}
	select {
	case <-ctx.Done():
		id := p.id
		c.calls.forget(p)
		if c.canceled != nil {
			c.canceled(id)
		}
		return nil, ctx.Err()
	case r, ok := <-p.answer:
		if !ok {
			return nil, ErrClosed
		}
		c.calls.release(p)
		if r.Error != nil {
			return nil, r.Error
		}
		return r.Result, nil
	}
}

// Notify sends a notification to the other side, before the answer of the handler that
// calls it. It returns the error of the stream; a nil error does not mean that the other
// side has read the notification.
func (c *Conn) Notify(_ context.Context, method string, params []byte) error {
	return c.out.put(AppendNotification(nil, method, params), true)
}
