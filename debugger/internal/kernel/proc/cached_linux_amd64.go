package proc

import (
	"context"
	"maps"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A call to the tracer's thread wakes two threads, which costs many times as much as
// most requests. So requests that need no ptrace run on the caller's goroutine, and
// the registers of stopped threads are cached until they may have changed.

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
		return p.unlessEnded(f)
	}
	return p.withStopped(func() error { return p.unlessEnded(f) })
}

// withCachedRegs calls f with the cached state of a thread; 0 is the current one.
// It fills the cache first if necessary. On the tracer's thread, where the cache
// is not valid because the thread may run, it calls ask instead.
func (p *Process) withCachedRegs(id int, f func(*cachedThread) error, ask func(tid int) error) error {
	return p.withoutTracer(func() error {
		t, err := p.thread(id)
		switch {
		case err != nil:
			return err
		case p.tracer.Inside():
			return p.checkEnded(ask(t.id))
		case p.cached[t.id] == nil || p.hasEvents():
			learn := func() error { return p.checkEnded(p.cacheThread(t.id)) }
			if err := p.tracer.Do(context.Background(), learn); err != nil {
				return err
			}
		}
		return f(p.cached[t.id])
	})
}

// cacheThread fills the cache for a thread.
func (p *Process) cacheThread(tid int) error {
	s := p.cached[tid]
	if s == nil {
		s = &cachedThread{vectors: make([]byte, xstateSize)}
	}
	delete(p.cached, tid)
	if err := p.tracer.Regs(tid, &s.regs); err != nil {
		return err
	}
	s.vectors = s.vectors[:cap(s.vectors)]
	n, err := p.tracer.XState(tid, s.vectors)
	s.vectors, s.err = s.vectors[:n], err
	p.cached[tid] = s
	return nil
}

// cacheCurrent caches the current thread after a run, because most requests that
// follow a stop are for its thread.
func (p *Process) cacheCurrent() {
	maps.DeleteFunc(p.cached, func(id int, _ *cachedThread) bool { return id != p.current })
	if p.ended == nil && p.threads[p.current] != nil {
		_ = p.cacheThread(p.current) // a request for an ended thread returns the error
	}
}

// hasEvents reports whether events are pending. A stopped process has none unless
// it was killed or has an announced child. They may belong to another process of
// this program, in which case a call to the tracer's thread is wasted.
func (p *Process) hasEvents() bool {
	if len(p.queue) > 0 {
		return true
	}
	var info unix.Siginfo
	const flags = unix.WEXITED | unix.WSTOPPED | unix.WNOHANG | unix.WNOWAIT | unix.WALL
	err := unix.Waitid(unix.P_ALL, 0, &info, flags, nil)
	return err != nil || info.Signo != 0
}
