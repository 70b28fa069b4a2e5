package proc

import (
	"context"
	"maps"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// The way to the tracer's thread and back wakes two threads, which costs many
// times what most looks do there. Hence two ways around it: what needs no ptrace
// is done where it is asked for, and what ptrace says of a thread that stands
// still is kept until something may have changed it.

// A standing is what is known of a thread that stands still.
type standing struct {
	regs    ptrace.Regs
	vectors []byte // in the layout of XSAVE
	err     error  // why there are none
}

// glance runs f on the caller's goroutine while the process stands still. It may
// use what belongs to the tracer's thread, which has nothing to do for as long
// as mu is held, but not ptrace.
func (p *Process) glance(f func() error) error {
	if p.tracer.Inside() {
		return p.alive(f)
	}
	return p.still(func() error { return p.alive(f) })
}

// stand calls f with what is known of a thread, 0 being the current one. Inside
// the tracer's thread, where it may be on the move, ask is called instead.
func (p *Process) stand(id int, f func(*standing) error, ask func(tid int) error) error {
	return p.glance(func() error {
		t, err := p.thread(id)
		switch {
		case err != nil:
			return err
		case p.tracer.Inside():
			return p.noticeEnd(ask(t.id))
		case p.standings[t.id] == nil || p.stirred():
			learn := func() error { return p.noticeEnd(p.learn(t.id)) }
			if err := p.tracer.Do(context.Background(), learn); err != nil {
				return err
			}
		}
		return f(p.standings[t.id])
	})
}

// learn asks for everything about a thread.
func (p *Process) learn(tid int) error {
	s := p.standings[tid]
	if s == nil {
		s = &standing{vectors: make([]byte, xstateSize)}
	}
	delete(p.standings, tid)
	if err := p.tracer.Regs(tid, &s.regs); err != nil {
		return err
	}
	s.vectors = s.vectors[:cap(s.vectors)]
	n, err := p.tracer.XState(tid, s.vectors)
	s.vectors, s.err = s.vectors[:n], err
	p.standings[tid] = s
	return nil
}

// learnCurrent is for the end of a move: most looks that follow are at the thread
// which the stop is about.
func (p *Process) learnCurrent() {
	maps.DeleteFunc(p.standings, func(id int, _ *standing) bool { return id != p.current })
	if p.ended == nil && p.threads[p.current] != nil {
		_ = p.learn(p.current) // who asks for a thread that is gone is told
	}
}

// stirred says whether events wait to be taken: a process that stands still has
// none unless it has been killed, or a child that is to be let go. They may be
// those of another process, which only costs the way to the tracer's thread.
func (p *Process) stirred() bool {
	if len(p.queue) > 0 {
		return true
	}
	var info unix.Siginfo
	const flags = unix.WEXITED | unix.WSTOPPED | unix.WNOHANG | unix.WNOWAIT | unix.WALL
	err := unix.Waitid(unix.P_ALL, 0, &info, flags, nil)
	return err != nil || info.Signo != 0
}
