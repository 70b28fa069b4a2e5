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

// withoutTracer runs f on the caller's goroutine with mu held, while the process is
// stopped. f may use the fields that belong to the tracer's thread, which is idle
// as long as mu is held, but not ptrace.
func (p *Process) withoutTracer(f func() error) error {
	if p.tracer.Inside() {
		return p.tracee.unlessEnded(f)
	}
	return p.withStopped(func() error { return p.tracee.unlessEnded(f) })
}

// withCachedRegs calls f with the cached state of a thread; 0 is the current one.
// It fills the cache first if necessary. On the tracer's thread, where the cache
// is not valid because the thread may run, it calls ask instead.
func (p *Process) withCachedRegs(id int, f func(*cachedThread) error, ask func(tid int) error) error {
	return p.withoutTracer(func() error {
		t, err := p.threads.find(id)
		switch {
		case err != nil:
			return err
		case p.tracer.Inside():
			return p.tracee.checkEnded(ask(t.id))
		case p.cache.threads[t.id] == nil || p.queue.pending():
			learn := func() error { return p.tracee.checkEnded(p.cache.fill(t.id)) }
			if err := p.tracer.Do(context.Background(), learn); err != nil {
				return err
			}
		}
		return f(p.cache.threads[t.id])
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
func (p *Process) cacheCurrent() {
	maps.DeleteFunc(p.cache.threads, func(id int, _ *cachedThread) bool { return id != p.threads.current })
	if p.tracee.ended == nil && p.threads.byID[p.threads.current] != nil {
		_ = p.cache.fill(p.threads.current) // a request for an ended thread returns the error
	}
}
