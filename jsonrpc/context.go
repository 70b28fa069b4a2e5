package jsonrpc

import (
	"context"
	"sync"
	"time"
)

// A requestContext is the context of one request. Most requests end before anybody asks
// whether they were cancelled, so its channel is made on demand; contexts derived from it
// need no goroutine, thanks to AfterFunc. Its methods may be called from any goroutine,
// also after the request.
type requestContext struct {
	values context.Context

	mu    sync.Mutex
	done  chan struct{}
	err   error
	after map[*func()]struct{}
}

// contexts makes the contexts of requests, some at a time, which costs less. One
// that a handler keeps holds the memory of its neighbours, less than a kilobyte.
type contexts []requestContext

// next returns a context of the block, and allocates another block when it is used up.
// Contexts are never used twice: a handler may keep its own.
func (all *contexts) next(values context.Context) *requestContext {
	if len(*all) == 0 {
		*all = make([]requestContext, 16)
	}
	ctx := &(*all)[0]
	ctx.values, *all = values, (*all)[1:]
	return ctx
}

// closedChannel is the Done channel of contexts that were ended before anyone asked for
// one.
var closedChannel = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Deadline reports that there is none.
func (c *requestContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value looks among the connection's values.
func (c *requestContext) Value(key any) any { return c.values.Value(key) }

// Done is closed when the request is cancelled or over.
func (c *requestContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			c.done = closedChannel
		}
	}
	return c.done
}

// Err returns the reason why the request has ended, nil while it runs.
func (c *requestContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// AfterFunc arranges for f to run in a goroutine of its own when the request
// is over. Package context uses it for derived contexts.
func (c *requestContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	if c.after == nil {
		c.after = map[*func()]struct{}{}
	}
	c.after[&f] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waiting := c.after[&f]
		delete(c.after, &f)
		return waiting
	}
}

// end ends the context with err, [context.Canceled] in this package; a second end changes
// nothing. Functions of AfterFunc start on goroutines of their own, so end does not
// block.
func (c *requestContext) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	if c.done != nil {
		close(c.done)
	}
	for f := range c.after {
		go (*f)()
	}
	c.after = nil
}
