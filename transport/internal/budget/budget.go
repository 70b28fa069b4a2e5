// Package budget bounds what clients make the server hold: bytes, streams,
// connections. A [Budget] is taken before the memory is, by an owner (a key or an
// address) and in all, and given back as soon as the memory is free.
//
//	bodies := budget.New(budget.Limits{Owner: 32 << 20, Total: 96 << 20})
//	hold := bodies.Hold(key)
//	defer hold.Release()
//	if err := hold.Take(64 << 10); err != nil {
//		return err // [ErrOwner] or [ErrTotal]
//	}
//
// So that a few owners cannot use up everything, the last eighth of the total is
// left to owners that hold little.
//
// # Concurrency
//
// A Budget and a Hold may be used by many goroutines.
package budget

import (
	"errors"
	"sync"
)

var (
	// ErrOwner is returned when the owner would hold more than one owner may.
	ErrOwner = errors.New("the owner's budget is used up")
	// ErrTotal is returned when all owners together would hold too much.
	ErrTotal = errors.New("the budget is used up")
)

// Limits bound a budget.
type Limits struct {
	Owner int64 // of one owner
	Total int64 // of all owners together
}

// A Usage is the state of a budget at one time.
type Usage struct {
	Used, Limit int64 // in all
	Owners      int   // that hold something
	Refused     int64 // how often a Take failed
}

// A Budget counts what owners hold. Make one with [New].
type Budget struct {
	mu      sync.Mutex
	limits  Limits
	of      map[string]int64
	used    int64
	refused int64
}

// New returns a budget of which nothing is taken.
func New(limits Limits) *Budget {
	return &Budget{limits: limits, of: map[string]int64{}}
}

// SetLimits changes the limits. What is held already stays.
func (b *Budget) SetLimits(limits Limits) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limits = limits
}

// The part of the total that is reserved, and the part of the owner's limit up
// to which an owner may use the reserve.
const (
	reserved = 8
	little   = 16
)

// Take adds n to what the owner holds. An error leaves the budget as it was.
func (b *Budget) Take(owner string, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	has := b.of[owner] + n
	total := b.limits.Total
	if has > b.limits.Owner/little {
		total -= total / reserved
	}
	switch {
	case has > b.limits.Owner:
		b.refused++
		return ErrOwner
	case b.used+n > total:
		b.refused++
		return ErrTotal
	}
	b.of[owner] = has
	b.used += n
	return nil
}

// Give takes n off what the owner holds.
func (b *Budget) Give(owner string, n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.of[owner] -= n; b.of[owner] == 0 {
		delete(b.of, owner)
	}
}

// Held returns how much the owner holds.
func (b *Budget) Held(owner string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of[owner]
}

// Usage returns what is held now.
func (b *Budget) Usage() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Usage{Used: b.used, Limit: b.limits.Total, Owners: len(b.of), Refused: b.refused}
}

// Hold returns a hold of the owner that is empty.
func (b *Budget) Hold(owner string) *Hold { return &Hold{budget: b, owner: owner} }

// A Hold is the part of a budget that one thing holds, such as a body. A nil Hold
// is unbounded.
type Hold struct {
	budget *Budget
	owner  string

	mu sync.Mutex
	n  int64
}

// Take adds n to the hold, or returns the error of [Budget.Take].
func (h *Hold) Take(n int64) error {
	if h == nil {
		return nil
	}
	if err := h.budget.Take(h.owner, n); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n += n
	return nil
}

// Give gives n back, or all of the hold if that is less.
func (h *Hold) Give(n int64) {
	if h == nil {
		return
	}
	h.mu.Lock()
	n = min(n, h.n)
	h.n -= n
	h.mu.Unlock()
	h.budget.Give(h.owner, n)
}

// Release gives back all of the hold. A second call does nothing.
func (h *Hold) Release() {
	if h != nil {
		h.mu.Lock()
		n := h.n
		h.n = 0
		h.mu.Unlock()
		h.budget.Give(h.owner, n)
	}
}
