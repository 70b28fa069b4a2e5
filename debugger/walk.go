package debugger

import (
	"context"
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/proc"
	"github.com/triptych-mcp/triptych/debugger/x86"
)

// A walk goes instruction by instruction. The processor does not look for
// breakpoints meanwhile, so the walk does.
type walk struct {
	s    *session
	at   map[uint64][]*mark
	hits map[*mark]int // before the walk
	seen []*mark       // watchpoints
}

// newWalk begins a walk of the current thread.
func (s *session) newWalk() *walk {
	w := &walk{s: s, at: map[uint64][]*mark{}, hits: map[*mark]int{}}
	for _, m := range s.marks {
		if m.watch != nil {
			w.seen = append(w.seen, m)
			continue
		}
		for _, p := range m.places {
			w.at[p.Addr] = append(w.at[p.Addr], m)
		}
		if item, err := s.item(m); err == nil {
			w.hits[m] = item.Hits - m.stepHits
		}
	}
	return w
}

// step does one instruction. It says whether the walk is over: something has
// stopped it, be it a breakpoint.
func (w *walk) step(ctx context.Context) (stop proc.Stop, over bool, err error) {
	stop, err = w.s.process.StepInstruction(ctx, 0)
	if err != nil || stop.Why != proc.Stepped {
		return stop, true, err
	}
	for _, m := range w.at[stop.Address] {
		if hit, err := w.hit(m, stop); hit {
			stop.Why, stop.Breakpoint, stop.Err = proc.AtBreakpoint, m.ids[0], err
			return stop, true, nil
		}
	}
	for _, m := range w.seen {
		if w.written(m, stop) {
			stop.Why, stop.Breakpoint = proc.AtWatchpoint, m.ids[0]
			return stop, true, nil
		}
	}
	return stop, false, nil
}

// hit decides about a breakpoint. A condition that cannot be decided stops.
func (w *walk) hit(m *mark, stop proc.Stop) (bool, error) {
	if m.thread != 0 && m.thread != stop.Thread {
		return false, nil
	}
	if m.holds != nil {
		holds, err := m.holds(proc.Hit{Thread: stop.Thread, Breakpoint: m.ids[0], Address: stop.Address})
		if err != nil || !holds {
			return err != nil, err
		}
	}
	m.stepHits++
	return w.hits[m]+m.stepHits > m.ignore, nil
}

// written says whether watched memory has changed, and matters.
func (w *walk) written(m *mark, stop proc.Stop) bool {
	is := make([]byte, m.watch.size)
	if _, err := w.s.scene.ReadMemory(m.watch.address, is); err != nil || string(is) == string(m.watch.last) {
		return false
	}
	if m.holds != nil {
		holds, err := m.holds(proc.Hit{Thread: stop.Thread, Breakpoint: m.ids[0], Address: stop.Address})
		if err == nil && !holds {
			m.watch.last = is
			return false
		}
	}
	m.stepHits++
	return true
}

// instruction decodes what is at an address; the zero Inst is none.
func (s *session) instruction(addr uint64) x86.Inst {
	var code [x86.MaxLen]byte
	n, _ := s.scene.ReadMemory(addr, code[:]) // fewer at the end of a mapping
	in, err := x86.Decode(code[:n], addr)
	if err != nil {
		return x86.Inst{}
	}
	return in
}

// A level says how deep in calls a thread, or in Go a goroutine, is. Deeper
// levels of the same one have a greater depth.
type level struct{ who, depth uint64 }

// outside says whether a level is at most as deep as another of the same one.
func (l level) outside(of level) bool { return l.who == of.who && l.depth <= of.depth }

// levelOf is the level of a thread with its stack pointer at sp; 0 is where it
// is now. Stacks of goroutines move, so their depth counts from their ends.
func (s *session) levelOf(thread int, sp uint64) (level, error) {
	regs, err := s.scene.Regs(thread)
	if err != nil {
		return level{}, err
	}
	if sp == 0 {
		sp = regs.RSP
	}
	if s.isGo() {
		if g, top, ok := s.goroutine(regs.FSBase); ok {
			return level{g, top - sp}, nil
		}
	}
	return level{uint64(thread), ^sp}, nil
}

// isGo says whether the program has Go's runtime.
func (s *session) isGo() bool {
	found, err := s.program.Lookup(s.ctx, "runtime.allgs")
	return err == nil && len(found) > 0
}

// goroutine is the one that a thread runs, and the top of its stack: its
// descriptor is below the thread pointer and begins with the stack's bounds
// (runtime.g in runtime2.go; tls_g in the linker).
func (s *session) goroutine(fsBase uint64) (g, top uint64, ok bool) {
	var b [8]byte
	if _, err := s.scene.ReadMemory(fsBase-8, b[:]); err != nil {
		return 0, 0, false
	}
	g = binary.LittleEndian.Uint64(b[:])
	if _, err := s.scene.ReadMemory(g+8, b[:]); g == 0 || err != nil {
		return 0, 0, false
	}
	return g, binary.LittleEndian.Uint64(b[:]), true
}

// runOut lets the process run until the current thread, or its goroutine, is at
// an address and not deeper than a level.
func (s *session) runOut(ctx context.Context, addr uint64, out level) (stop proc.Stop, reached bool, err error) {
	thread, err := s.scene.CurrentThread()
	if err != nil {
		return proc.Stop{}, false, err
	}
	spec := proc.BreakpointSpec{Address: addr, Thread: thread, Condition: func(hit proc.Hit) (bool, error) {
		at, err := s.levelOf(hit.Thread, 0)
		return at.outside(out), err
	}}
	if s.isGo() {
		spec.Thread = 0 // goroutines change threads
	}
	return s.runTo(ctx, spec)
}
