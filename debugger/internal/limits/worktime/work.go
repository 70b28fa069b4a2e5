package worktime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

type contextKey struct{}

// Of returns the work that a context belongs to, or nil.
func Of(ctx context.Context) *Work {
	w, _ := ctx.Value(contextKey{}).(*Work)
	return w
}

// A Work is one call that replays and searches. All methods do nothing for a nil Work.
type Work struct {
	accounts *Accounts
	key      string
	allowed  time.Duration // 0 for no limit
	hour     bool          // the key's limit is the one that is met first
	refused  bool          // it must not search: the key has used too much
	began    time.Time
	ctx      context.Context //nolint:containedctx // of the work, for its functions
	cancel   context.CancelCauseFunc

	mu       sync.Mutex
	timer    *time.Timer
	running  time.Time // since when it has worked, zero while it waits
	spent    time.Duration
	reserved time.Duration // for it, while it works
	child    *Work         // for whose end this one waits
	progress
}

// Context returns a context that ends with the one of Begin, and when the time is used up.
func (w *Work) Context() context.Context { return w.ctx }

// Beside begins a work of the same key that does not end with this one's context, such as a
// move through a history for which a call waits for some time. Without a Work there are no
// limits.
func (w *Work) Beside(ctx context.Context) *Work {
	if w == nil {
		return (*Accounts)(nil).Begin(ctx, "")
	}
	if w.pause() { // what is reserved for this one is left for the other
		defer w.Resume()
	}
	return w.accounts.Begin(ctx, w.key)
}

// Wait notes that the work waits for another one until the result is called, or for
// something that is none if child is nil.
func (w *Work) Wait(child *Work) (done func()) {
	if w == nil {
		return func() {}
	}
	w.pause()
	w.setChild(child)
	return func() {
		w.setChild(nil)
		w.Resume()
	}
}

func (w *Work) setChild(child *Work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.child = child
}

// Resume lets time pass again.
func (w *Work) Resume() {
	w.reserve()
	w.start()
}

// reserve reserves the time that is left of what the work may take.
func (w *Work) reserve() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reserved = max(0, w.allowed-w.spent)
	w.accounts.charge(w.key, 0, w.reserved)
}

// start lets time pass.
func (w *Work) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = time.Now()
	if w.allowed == 0 {
		return
	}
	w.timer = time.AfterFunc(w.allowed-w.spent, func() { w.cancel(w.usedUp()) })
}

// pause stops the time, and charges it to the key. It returns whether it was passing.
func (w *Work) pause() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running.IsZero() {
		return false
	}
	d := time.Since(w.running)
	w.spent, w.running = w.spent+d, time.Time{}
	if w.timer != nil {
		w.timer.Stop()
	}
	w.accounts.charge(w.key, d, -w.reserved)
	w.reserved = 0
	return true
}

// End ends the work and its context.
func (w *Work) End() {
	if w == nil {
		return
	}
	w.pause()
	w.cancel(context.Canceled)
}

// A UsedUpError reports that the time of a work is used up. It is a context.Canceled, so
// that what ends for it is as if its caller had ended it.
type UsedUpError struct {
	Time     time.Duration
	Hour     bool // it was what was left of the key's time for an hour
	Searched string
}

// Error implements error.
func (e *UsedUpError) Error() string {
	text := fmt.Sprintf("the limit of %s for a call is reached", e.Time.Round(time.Millisecond))
	if e.Hour {
		text = fmt.Sprintf("the limit of this key for an hour is reached, of which %s were left", e.Time.Round(time.Millisecond))
	}
	if e.Searched != "" {
		text += "; " + e.Searched
	}
	return text
}

// Is reports whether target is context.Canceled.
func (e *UsedUpError) Is(target error) bool { return target == context.Canceled }

// usedUp describes how far the work has come.
func (w *Work) usedUp() *UsedUpError {
	if w.refused {
		return &UsedUpError{Hour: true}
	}
	return &UsedUpError{Time: w.allowed, Hour: w.hour, Searched: w.searched()}
}

// UsedUp returns a *UsedUpError if the time of the work is used up.
func (w *Work) UsedUp() error {
	if w == nil {
		return nil
	}
	if e, ok := errors.AsType[*UsedUpError](context.Cause(w.ctx)); ok {
		return e
	}
	return nil
}

// Explain returns the error of a work: a *UsedUpError if it was ended because its time was
// used up.
func (w *Work) Explain(err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	if used := w.UsedUp(); used != nil {
		return used
	}
	return err
}
