package worktime

import (
	"fmt"
	"time"
)

// progress holds how far a work is. It is guarded by Work.mu.
type progress struct {
	phase       bool // there is one
	done, total uint64
	looked      bool
	back        bool   // the search goes from newer positions to older ones
	first, last uint64 // positions that were looked at without a result
}

// A Phase is a part of a work, of which it is known how long it is at most. All methods do
// nothing for a nil Phase.
type Phase struct {
	w    *Work
	base uint64
	size uint64
	part bool // of another one
}

// Phase begins a phase with a number of positions, or a part of the phase that there is. The
// caller must call Close. The work ends if it must not search.
func (w *Work) Phase(size uint64) *Phase {
	if w == nil {
		return nil
	}
	if w.refused {
		w.cancel(w.usedUp())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.phase {
		return &Phase{w, w.done, min(size, w.total-w.done), true}
	}
	w.phase, w.total = true, w.done+size
	return &Phase{w, w.done, size, false}
}

// At notes that n positions of the phase are done.
func (p *Phase) At(n uint64) {
	if p == nil {
		return
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.done = max(p.w.done, p.base+min(n, p.size))
}

// Close ends the phase.
func (p *Phase) Close() {
	if p == nil || p.part {
		return
	}
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.w.phase, p.w.total = false, max(1, p.w.done)
}

// Looked notes that a search has looked at the positions from first to last. A search that
// goes back goes on at first, another one at last.
func (w *Work) Looked(first, last uint64, back bool) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.looked || w.back != back || last < w.first || first > w.last {
		w.first, w.last = first, last
	}
	w.looked, w.back = true, back
	w.first, w.last = min(w.first, first), max(w.last, last)
}

// searched describes what was looked at, or is "".
func (w *Work) searched() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.looked && w.back:
		return fmt.Sprintf("positions %d to %d were looked at: go on with debugger/seek to position %d and the same call", w.first, w.last, w.first)
	case w.looked:
		return fmt.Sprintf("positions %d to %d were looked at: go on from position %d", w.first, w.last, w.last)
	}
	return ""
}

// Progress returns how far the work is, of the work for which it waits if there is one. It
// returns positions, or seconds with a total of 0. It is false while a work waits for
// something else.
func (w *Work) Progress() (done, total float64, message string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.child != nil:
		return w.child.Progress()
	case w.running.IsZero():
		return 0, 0, "", false
	case w.total == 0:
		return time.Since(w.began).Seconds(), 0, "Searching", true
	}
	return float64(w.done), float64(w.total), fmt.Sprintf("%d of %d positions", w.done, w.total), true
}
