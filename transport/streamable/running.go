package streamable

import (
	"context"
	"sync"
	"time"
)

// running are the handlers that run. Unlike those of a [sync.WaitGroup] there may
// be more while somebody waits: requests that were half sent when the server was
// told to end get their answers.
//
// It ends exchanges that go on without a sign of life. One timer looks after all
// of them: a timer of its own for each would cost more than most requests.
type running struct {
	limit time.Duration // between two signs of life
	every time.Duration // how long the timer runs at most: no sign of life is good for less

	mu    sync.Mutex
	n     int
	none  chan struct{} // closed when n is 0; nil unless somebody waits
	first *exchange     // those that end, in no order
	timer *time.Timer
	armed bool // whether the timer will look, not later than the first of them ends
}

func (r *running) init(limit time.Duration) {
	r.limit, r.every = limit, min(limit, askTime)
	r.timer = time.AfterFunc(time.Hour, r.look)
	r.timer.Stop()
}

// add counts a handler; that of an exchange, which may be nil, has to give signs
// of life.
func (r *running) add(e *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	if e == nil {
		return
	}
	e.ends = time.Now().Add(r.limit)
	if e.next = r.first; e.next != nil {
		e.next.before = e
	}
	r.first = e
	if !r.armed {
		r.armed = true
		r.timer.Reset(r.every)
	}
}

// done is told of the end of what was added.
func (r *running) done(e *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e != nil {
		r.settleLocked(e)
	}
	if r.n--; r.n == 0 && r.none != nil {
		close(r.none)
		r.none = nil
	}
}

// settle lets an exchange go on for ever.
func (r *running) settle(e *exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settleLocked(e)
}

func (r *running) settleLocked(e *exchange) {
	switch {
	case e.before != nil:
		e.before.next = e.next
	case r.first == e:
		r.first = e.next
	}
	if e.next != nil {
		e.next.before = e.before
	}
	e.next, e.before = nil, nil
}

// lives is a sign of life: the next one may take so long, the limit or askTime.
func (r *running) lives(e *exchange, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.ends = time.Now().Add(d)
}

// look ends those whose time is over.
func (r *running) look() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, wait := time.Now(), r.every
	for e := r.first; e != nil; {
		one := e
		e = e.next
		if left := one.ends.Sub(now); left > 0 {
			wait = min(wait, left)
			continue
		}
		r.settleLocked(one)
		one.ctx.End(errTooLong)
	}
	if r.armed = r.first != nil; r.armed {
		r.timer.Reset(wait)
	}
}

// wait waits until nothing runs, or until ctx is done.
func (r *running) wait(ctx context.Context) {
	r.mu.Lock()
	if r.n > 0 && r.none == nil {
		r.none = make(chan struct{})
	}
	none := r.none
	r.mu.Unlock()
	if none == nil {
		return
	}
	select {
	case <-none:
	case <-ctx.Done():
	}
}
