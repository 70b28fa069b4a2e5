package proc

import (
	"context"
	"maps"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A call to the tracer's thread wakes two threads, which costs many times as much as
// most requests. So requests that need no ptrace run on the caller's goroutine, and
// the registers of stopped threads are cached until they may have changed.

// A registerCache holds what was read of stopped threads; see withCachedRegs.
type registerCache struct {
	tracer  *ptrace.Tracer
	threads map[int]*cachedThread
}

// A cachedThread holds the cached state of a stopped thread.
type cachedThread struct {
	regs    ptrace.Regs
	vectors []byte // in the layout of XSAVE
	err     error  // why there are none
}

// withCachedRegs calls f with the cached state of a thread; 0 is the current one.
// It fills the cache first if necessary. On the tracer's thread, where the cache
// is not valid because the thread may run, it calls ask instead.
func (a *access) withCachedRegs(id int, f func(*cachedThread) error, ask func(tid int) error) error {
	return a.withoutTracer(func() error {
		t, err := a.threads.find(id)
		switch {
		case err != nil:
			return err
		case a.tracer.Inside():
			return a.tracee.checkEnded(ask(t.id))
		case a.cache.threads[t.id] == nil || a.queue.pending():
			learn := func() error { return a.tracee.checkEnded(a.cache.fill(t.id)) }
			if err := a.tracer.Do(context.Background(), learn); err != nil {
				return err
			}
		}
		return f(a.cache.threads[t.id])
	})
}

// fill fills the cache for a thread.
func (rc *registerCache) fill(tid int) error {
	s := rc.threads[tid]
	if s == nil {
		s = &cachedThread{vectors: make([]byte, xstateSize)}
	}
	delete(rc.threads, tid)
	if err := rc.tracer.Regs(tid, &s.regs); err != nil {
		return err
	}
	s.vectors = s.vectors[:cap(s.vectors)]
	n, err := rc.tracer.XState(tid, s.vectors)
	s.vectors, s.err = s.vectors[:n], err
	rc.threads[tid] = s
	return nil
}

// cacheCurrent caches the current thread after a run, because most requests that
// follow a stop are for its thread.
func (a *access) cacheCurrent() {
	maps.DeleteFunc(a.cache.threads, func(id int, _ *cachedThread) bool { return id != a.threads.current })
	if a.tracee.ended == nil && a.threads.byID[a.threads.current] != nil {
		_ = a.cache.fill(a.threads.current) // a request for an ended thread returns the error
	}
}
