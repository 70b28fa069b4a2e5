package brief

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// A Context is a [context.Context] that ends when it is told to, or with its
// parent.
type Context struct {
	parent context.Context

	mu   sync.Mutex
	told context.Context // nil until somebody asks for what tells
	stop context.CancelCauseFunc
	over error // why, nil until then
}

var _ context.Context = (*Context)(nil)

// New returns a context that has begun.
func New(parent context.Context) *Context { return &Context{parent: parent} }

// Begin gives the context its parent. It comes before all else.
func (c *Context) Begin(parent context.Context) { c.parent = parent }

// End ends the context, for a cause; nil is [context.Canceled]. It changes nothing
// a second time, nor after the parent's end, for a context says one thing only.
func (c *Context) End(cause error) {
	c.mu.Lock()
	if c.over == nil && c.parent.Err() == nil {
		c.over = cmp.Or(cause, context.Canceled)
	}
	cause, stop := c.over, c.stop
	c.mu.Unlock()
	if stop != nil {
		stop(cause)
	}
}

// tells makes what tells that it is over.
func (c *Context) tells() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.told != nil:
	case c.over == nil:
		c.told, c.stop = context.WithCancelCause(c.parent)
	default: // the parent's end does not matter any more
		c.told, c.stop = context.WithCancelCause(context.WithoutCancel(c.parent))
		c.stop(c.over)
	}
	return c.told
}

// Err is [context.Canceled] after the end, or the parent's error.
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.told != nil:
		return c.told.Err()
	case c.over != nil:
		return context.Canceled
	}
	return c.parent.Err()
}

// Cause is why the context is over, nil until then.
func (c *Context) Cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.told != nil:
		return context.Cause(c.told)
	case c.over != nil:
		return c.over
	}
	return context.Cause(c.parent)
}

// Deadline is the parent's.
func (c *Context) Deadline() (time.Time, bool) { return c.parent.Deadline() }

// Done is closed at the end.
func (c *Context) Done() <-chan struct{} { return c.tells().Done() }

// Value is the parent's, and what package context looks for in its own.
func (c *Context) Value(key any) any { return c.tells().Value(key) }
