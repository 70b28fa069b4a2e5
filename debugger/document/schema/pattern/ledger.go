package pattern

import (
	"runtime"
	"slices"
	"sync"
	"weak"
)

// maxMachines limits the bytes of all machines.
const maxMachines = 64 << 20

// machines counts the memory of all machines.
var machines ledger

// A ledger counts the memory of the machines of patterns. When they take too much, the
// oldest are forgotten, and made again when they are needed. It does not keep patterns.
type ledger struct {
	mu    sync.Mutex // locked after that of a pattern
	total int
	queue []*entry // the oldest first
}

// An entry is the machine of a pattern in the ledger.
type entry struct {
	pattern weak.Pointer[Pattern]
	cost    int // guarded by the ledger; 0 if there is no machine
	queued  bool
}

// count counts the machine of p, which is locked, and forgets others.
func (l *ledger) count(p *Pattern) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.entry == nil {
		p.entry = &entry{pattern: weak.Make(p)}
		runtime.AddCleanup(p, l.drop, p.entry)
	}
	e := p.entry
	if !e.queued {
		e.queued = true
		l.queue = append(l.queue, e)
	}
	l.set(e, p.machine.memory())
	for tries := len(l.queue); l.total > maxMachines && tries > 0; tries-- {
		oldest := l.queue[0]
		l.queue = l.queue[1:]
		if oldest.queued = oldest == e || !l.forget(oldest); oldest.queued {
			l.queue = append(l.queue, oldest)
		}
	}
}

func (l *ledger) set(e *entry, cost int) {
	l.total += cost - e.cost
	e.cost = cost
}

// forget removes the machine of a pattern unless that is in use.
func (l *ledger) forget(e *entry) bool {
	p := e.pattern.Value()
	if p == nil {
		return true // drop has counted it, or will
	}
	if !p.mu.TryLock() {
		return false
	}
	defer p.mu.Unlock()
	p.machine = nil
	l.set(e, 0)
	return true
}

// drop removes the entry of a pattern that is no more.
func (l *ledger) drop(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(e, 0)
	if e.queued {
		l.queue = slices.DeleteFunc(l.queue, func(other *entry) bool { return other == e })
	}
}
