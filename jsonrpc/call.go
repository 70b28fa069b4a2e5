package jsonrpc

import (
	"context"
	"sync"
)

// calls holds the requests that this side sent and whose answers are outstanding.
type calls struct {
	mu     sync.Mutex
	last   int64
	open   map[string]chan Response
	closed bool
}

func (c *calls) init() { c.open = map[string]chan Response{} }

func (c *calls) begin() (ID, chan Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ID{}, nil, ErrClosed
	}
	c.last++
	id, answer := NumberID(c.last), make(chan Response, 1)
	c.open[id.String()] = answer
	return id, answer, nil
}

func (c *calls) forget(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id.String())
}

// answer passes a response to the Call that waits for it. A response without one
// is dropped.
func (c *calls) answer(r *Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.open[r.ID.String()]
	if !ok {
		return
	}
	delete(c.open, r.ID.String())
	waiting <- Response{ID: r.ID.Clone(), Result: append([]byte(nil), r.Result...), Error: r.Error}
}

func (c *calls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, waiting := range c.open {
		close(waiting)
	}
	clear(c.open)
}

// Call sends a request to the other side and waits for its result. When ctx is
// done first, a later answer is ignored.
func (c *Conn) Call(ctx context.Context, method string, params []byte) ([]byte, error) {
	id, answer, err := c.calls.begin()
	if err != nil {
		return nil, err
	}
	defer c.calls.forget(id)
	dst := append(append([]byte(`{"jsonrpc":"2.0","id":`), id.raw...), ',')
	if err := c.out.put(appendCall(dst, method, params), true); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r, ok := <-answer:
		if !ok {
			return nil, ErrClosed
		}
		if r.Error != nil {
			return nil, r.Error
		}
		return r.Result, nil
	}
}

// Notify sends a notification to the other side. It is on its way before the
// answer of a handler that sends it.
func (c *Conn) Notify(_ context.Context, method string, params []byte) error {
	return c.out.put(AppendNotification(nil, method, params), true)
}
