package setcache

import (
	"slices"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// A Cache holds the sets of the files that programs have mapped, and for a while
// those of files that they had.
type Cache struct {
	idleFor time.Duration
	maxIdle uint64

	mu      sync.Mutex
	entries map[place]*entry
	idle    []*entry // without users, the longest idle first
	dropped []*entry // their files are closed by unlock
}

// A place is a file, and who has its memory: sets are shared by programs of one owner.
type place struct {
	stamp filestamp.Stamp
	owner string
}

// An entry is the set of one file.
type entry struct {
	place place
	users map[any]bool // guarded by Cache.mu
	timer *time.Timer  // drops the entry; guarded by Cache.mu

	open    sync.Once
	account *budget.Account

	file *elffile.File // kept open, since location lists are read when they are needed
	set  *types.Set
}

// New returns a cache that keeps unused sets for a time, up to maxIdle bytes of
// .debug_info in all.
func New(idleFor time.Duration, maxIdle uint64) *Cache {
	return &Cache{idleFor: idleFor, maxIdle: maxIdle, entries: map[place]*entry{}}
}

// Acquire returns the set of an open file, which it reads by open if the cache does
// not have it. The set may be used until release is called, which may be called more
// than once. Two files of one user do not share a set, so that a type belongs to one
// of them: the second gets a set of its own. An account of the user's owner has the memory of the
// set.
func (c *Cache) Acquire(file *elffile.File, account *budget.Account, user any, open func(*budget.Account) *types.Set) (set *types.Set, release func()) {
	e := c.addUser(file, account, user)
	if e == nil {
		own := account.Another()
		return open(own), own.Close
	}
	e.open.Do(func() { c.fill(e, file, open) })
	return e.set, sync.OnceFunc(func() { c.removeUser(e, user) })
}

// fill reads the set of an entry. If the file changed meanwhile, or there was no memory for
// its set, the entry has no further users.
func (c *Cache) fill(e *entry, file *elffile.File, open func(*budget.Account) *types.Set) {
	e.file, e.set = file.Retain(), open(e.account)
	if e.set == nil && e.account.Refused() && c.dropIdle(e.place.owner) { // there may be memory now
		e.account.Close()
		e.account = e.account.Another()
		e.set = open(e.account)
	}
	refused := e.set == nil && e.account.Refused()
	if stamp, ok := file.Stamp(); ok && stamp == e.place.stamp && !refused {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[e.place] == e {
		delete(c.entries, e.place)
	}
}

// dropIdle drops all idle entries of an owner, and reports whether there were any.
func (c *Cache) dropIdle(owner string) (dropped bool) {
	c.mu.Lock()
	defer c.unlock()
	for i := len(c.idle) - 1; i >= 0; i-- {
		if c.idle[i].place.owner == owner {
			c.dropIdleLocked(i)
			dropped = true
		}
	}
	return dropped
}

// addUser returns the entry of a file with one more user, or nil if the file cannot be
// shared with the user.
func (c *Cache) addUser(file *elffile.File, account *budget.Account, user any) *entry {
	stamp, ok := file.Stamp()
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := place{stamp, account.Owner()}
	e := c.entries[at]
	if e == nil {
		e = &entry{place: at, users: map[any]bool{}, account: account.Another()}
		c.entries[at] = e
	}
	if e.users[user] {
		return nil
	}
	e.users[user] = true
	if i := slices.Index(c.idle, e); i >= 0 {
		c.idle = slices.Delete(c.idle, i, i+1)
		e.timer.Stop()
	}
	return e
}

// removeUser removes a user of an entry. Without users it is idle, if it is worth keeping.
func (c *Cache) removeUser(e *entry, user any) {
	c.mu.Lock()
	defer c.unlock()
	delete(e.users, user)
	if len(e.users) > 0 {
		return
	}
	if size := e.size(); size == 0 || size > c.maxIdle || c.entries[e.place] != e {
		c.dropLocked(e)
		return
	}
	c.idle = append(c.idle, e)
	e.timer = time.AfterFunc(c.idleFor, func() { c.expire(e) })
	for c.idleSizeLocked() > c.maxIdle {
		c.dropIdleLocked(0)
	}
}

// expire drops an entry that is still idle.
func (c *Cache) expire(e *entry) {
	c.mu.Lock()
	defer c.unlock()
	if i := slices.Index(c.idle, e); i >= 0 {
		c.dropIdleLocked(i)
	}
}

// dropIdleLocked drops an idle entry.
func (c *Cache) dropIdleLocked(i int) {
	e := c.idle[i]
	c.idle = slices.Delete(c.idle, i, i+1)
	e.timer.Stop()
	c.dropLocked(e)
}

// dropLocked forgets an entry without users. unlock closes its file.
func (c *Cache) dropLocked(e *entry) {
	if c.entries[e.place] == e {
		delete(c.entries, e.place)
	}
	c.dropped = append(c.dropped, e)
}

// unlock unlocks mu, and then closes the files of the entries that were dropped.
func (c *Cache) unlock() {
	dropped := c.dropped
	c.dropped = nil
	c.mu.Unlock()
	for _, e := range dropped {
		_ = e.file.Close() // it was only read
		e.account.Close()
	}
}

// idleSizeLocked returns the bytes of .debug_info of all idle entries.
func (c *Cache) idleSizeLocked() uint64 {
	var size uint64
	for _, e := range c.idle {
		size += e.size()
	}
	return size
}

// size returns the bytes of .debug_info of the file; 0 if it has none that could be
// read.
func (e *entry) size() uint64 {
	s := e.file.Section(".debug_info", ".zdebug_info")
	if s == nil || e.set == nil {
		return 0
	}
	return s.Size
}
