package inplace

import (
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
)

// ExpectStaleStop does as if the event stop of a cancel had not come yet.
func (r *Runner) ExpectStaleStop() { r.stale = true }

// DeferAgain does as if the signal of the last stop had also arrived in the middle of a
// block.
func (r *Runner) DeferAgain() { r.deferred = append(r.deferred, r.signal) }

// Other reports an event as the callbacks do.
func (r *Runner) Other(e ptrace.Event) { r.other(e) }

// AtEntry reports whether the thread is at the entry of a system call in the cache.
func (r *Runner) AtEntry() bool { return r.at == atEntry }

// HandOverIn sets the time that children wait for their next tracer, until the function that
// it returns is called.
func HandOverIn(d time.Duration) (restore func()) {
	old := handOverTime
	handOverTime = d
	return func() { handOverTime = old }
}

// Loop makes Runners from now on translate as for a processor on which the instruction loop is
// fast, or not, until the function that it returns is called.
func Loop(fast bool) (restore func()) {
	old := loopIsFast
	loopIsFast = fast
	return func() { loopIsFast = old }
}

// Uses reports whether the Runner goes on with a translation.
func (r *Runner) Uses(t *Translation) bool { return r.space.cache == t.cache }

// Place returns the address of a code cache in the process.
func (t *Translation) Place() uint64 { return t.shared.mapped[len(t.shared.mapped)-1].Start }

// Added returns the number of entries that are not from earlier runs.
func (e *Entries) Added() (n int) {
	for _, f := range e.files {
		n += len(f.list) - f.loaded
	}
	return n
}

// EntriesKey returns the key of the entries of a file.
func EntriesKey(cache *filecache.Cache, path string) string { return NewEntries(cache).of(path).key }
