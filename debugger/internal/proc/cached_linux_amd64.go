package proc

import (
	"context"
	"maps"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A call to the tracer's thread wakes two threads, which costs many times what most
// requests cost there. So requests that need no ptrace run on the caller's
// goroutine, and what ptrace returns of a stopped thread is cached until something
// may have changed it.

// A cachedThread holds what ptrace has returned of a stopped thread.
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

// withCachedRegs calls f with what is cached of a thread, 0 being the current one,
// and fills the cache first if necessary. On the tracer's thread, where the thread
// may run in between, it calls ask instead.
func (p *Process) withCachedRegs(id int, f func(*cachedThread) error, ask func(tid int) error) error {
	return p.withoutTracer(func() error {
		t, err := p.thread(id)
		switch {
		case err != nil:
			return err
		case p.tracer.Inside():
			return p.noticeEnd(ask(t.id))
		case p.cached[t.id] == nil || p.eventsWait():
			learn := func() error { return p.noticeEnd(p.cacheThread(t.id)) }
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

// cacheCurrent is for the end of a move: most looks that follow are at the thread
// which the stop is about.
func (p *Process) cacheCurrent() {
	maps.DeleteFunc(p.cached, func(id int, _ *cachedThread) bool { return id != p.current })
	if p.ended == nil && p.threads[p.current] != nil {
		_ = p.cacheThread(p.current) // who asks for a thread that is gone is told
	}
}

// stirred says whether events wait to be taken: a process that stands still has
// none unless it has been killed, or a child that is to be let go. They may be
// those of another process, which only costs the way to the tracer's thread.
func (p *Process) eventsWait() bool {
	if len(p.queue) > 0 {
		return true
	}
	var info unix.Siginfo
	const flags = unix.WEXITED | unix.WSTOPPED | unix.WNOHANG | unix.WNOWAIT | unix.WALL
	err := unix.Waitid(unix.P_ALL, 0, &info, flags, nil)
	return err != nil || info.Signo != 0
}
