// Package budget bounds the memory that files which are debugged take once they are read:
// recordings, traces, core files, debug information.
//
//	memory := budget.New(512 << 20)
//	account := memory.Open("key_1")
//	defer account.Close()
//	if err := account.Take(size); err != nil {
//		return err // a *[Error]
//	}
//
// Memory is taken before it is allocated, by an owner and in all. So that a few owners cannot
// use up everything, the last eighth of the total is left to owners that have little.
//
// # Concurrency
//
// A Budget and an Account may be used by several goroutines.
package budget

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Flag is the name of the flag that sets the limit of an owner.
const Flag = "debug-memory"

// Default is the usual limit of an owner in bytes. The debug information of this program, a
// file of 88 MB, takes 112 MiB, its symbols 21 MiB.
const Default = 512 << 20

const (
	// owners is the number of owners that can have all that one may have.
	owners = 2
	// reserved is the part of the total that is left to owners which have at most the part
	// little of their limit.
	reserved = 8
	little   = 16
)

// An Error reports that there is no room for an allocation.
type Error struct {
	Needed int64 // that were to be taken
	Taken  int64 // by the owner, or by all
	Limit  int64 // of the owner, or of all
	Shared bool  // the limit is that of all owners
}

// Error says how much is missing, and how to have more.
func (e *Error) Error() string {
	if e.Shared {
		return fmt.Sprintf("it takes %d MiB more of memory, and the files of all clients have %d of the %d MiB that they may have together; close sessions, or start the server with a larger --%s", mib(e.Needed), mib(e.Taken), mib(e.Limit), Flag)
	}
	return fmt.Sprintf("it takes %d MiB more of memory, and the files of this client have %d of the %d MiB that they may have; close other sessions, or start the program with --%s %d or more", mib(e.Needed), mib(e.Taken), mib(e.Limit), Flag, mib(e.Taken)+mib(e.Needed))
}

// mib rounds up.
func mib(n int64) int64 {
	if n&(1<<20-1) != 0 {
		return n>>20 + 1
	}
	return n >> 20
}

// A Budget counts the memory that owners have taken. Make one with [New].
type Budget struct {
	mu           sync.Mutex
	limit, total int64
	taken        map[string]int64 // by owner
	all          int64
}

// New returns a budget in which an owner may take so many bytes, and all together twice that.
func New(limit int64) *Budget {
	return &Budget{limit: limit, total: owners * limit, taken: map[string]int64{}}
}

// Taken returns how many bytes an owner has taken, and how many all have.
func (b *Budget) Taken(owner string) (own, all int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken[owner], b.all
}

func (b *Budget) take(owner string, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	has, total := b.taken[owner], b.total
	if has+n > b.limit/little {
		total -= total / reserved
	}
	switch {
	case n > b.limit-has:
		return &Error{Needed: n, Taken: has, Limit: b.limit}
	case n > total-b.all:
		return &Error{Needed: n, Taken: b.all, Limit: b.total, Shared: true}
	}
	b.taken[owner] = has + n
	b.all += n
	return nil
}

func (b *Budget) give(owner string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all -= n
	if b.taken[owner] -= n; b.taken[owner] == 0 {
		delete(b.taken, owner)
	}
}

// errClosed is the error of an account that was closed.
var errClosed = errors.New("the session has ended")

// An Account counts the memory of one session. A nil Account has no limit.
type Account struct {
	budget *Budget
	owner  string

	mu      sync.Mutex
	taken   int64
	closed  bool
	refused bool
}

// Open returns an account of an owner.
func (b *Budget) Open(owner string) *Account { return &Account{budget: b, owner: owner} }

// Owner returns the owner, "" of a nil Account.
func (a *Account) Owner() string {
	if a == nil {
		return ""
	}
	return a.owner
}

// Another returns another account of the owner.
func (a *Account) Another() *Account {
	if a == nil {
		return nil
	}
	return a.budget.Open(a.owner)
}

// Take takes so many bytes, or returns an *[Error] and takes nothing.
func (a *Account) Take(n int64) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return errClosed
	}
	if err := a.budget.take(a.owner, n); err != nil {
		a.refused = true
		return err
	}
	a.taken += n
	return nil
}

// Give gives bytes back that were taken and are free again.
func (a *Account) Give(n int64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	n = min(n, a.taken)
	a.taken -= n
	a.mu.Unlock()
	a.budget.give(a.owner, n)
	collect(n)
}

// Taken returns how many bytes the account has.
func (a *Account) Taken() int64 {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.taken
}

// Refused reports whether a Take has failed for lack of memory.
func (a *Account) Refused() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused
}

// Close gives everything back. Nothing can be taken afterwards.
func (a *Account) Close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	n := a.taken
	a.taken, a.closed = 0, true
	a.mu.Unlock()
	a.budget.give(a.owner, n)
	collect(n)
}

// much is the number of bytes whose return makes the program collect garbage: the memory may
// be taken again at once, and is to be free until then.
const much = 32 << 20

// collecting is set while a collection is due.
var collecting atomic.Bool

// collect collects garbage soon, if so many bytes are.
func collect(n int64) {
	if n < much || !collecting.CompareAndSwap(false, true) {
		return
	}
	time.AfterFunc(collectAfter, func() {
		collecting.Store(false)
		debug.FreeOSMemory()
	})
}

// collectAfter is the time in which the last references to the memory are dropped.
const collectAfter = 50 * time.Millisecond
