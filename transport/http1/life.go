package http1

import (
	"context"
	"sync"
	"time"
)

// A life is the context of a request. Most requests are over before anybody wants
// to be told of that, so what tells is made when it is asked for.
type life struct {
	parent context.Context //nolint:containedctx // it is one itself

	mu   sync.Mutex
	told context.Context //nolint:containedctx // nil until it is asked for
	stop context.CancelFunc
	over bool
}

// tells makes what tells.
func (l *life) tells() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.told == nil {
		l.told, l.stop = context.WithCancel(l.parent)
		if l.over {
			l.stop()
		}
	}
	return l.told
}

// end ends the context; a second end changes nothing.
func (l *life) end() {
	l.mu.Lock()
	l.over = true
	stop := l.stop
	l.mu.Unlock()
	if stop != nil {
		stop()
	}
}

func (l *life) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.told != nil:
		return l.told.Err()
	case l.over:
		return context.Canceled
	}
	return l.parent.Err()
}

// Deadline is the parent's.
func (l *life) Deadline() (time.Time, bool) { return l.parent.Deadline() }

func (l *life) Done() <-chan struct{} { return l.tells().Done() }

// Value also gives package context what it looks for in a context of its own.
func (l *life) Value(key any) any { return l.tells().Value(key) }
