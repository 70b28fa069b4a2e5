package debugger

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A scene is what the tools look at: a process that stands still, a moment of
// its past, a core file or a moment of a trace. Thread 0 is the current one.
//
// A scene belongs to who has the gate of its session, or its operation.
// [proc.Process] is one for the present.
type scene interface {
	// ReadMemory returns how many bytes could be read, and an error when not
	// all could.
	ReadMemory(addr uint64, b []byte) (int, error)
	// Regs and XState answer proc.ErrNoThread. The layout is that of XSAVE; an
	// error says that only the general registers are known.
	Regs(thread int) (ptrace.Regs, error)
	XState(thread int, buf []byte) ([]byte, error)
	Threads() ([]proc.ThreadInfo, error) // by id
	CurrentThread() (int, error)
	SetCurrentThread(id int) error
	Maps() (proc.Maps, error)
}

// past is a moment of a history.
type past struct {
	*history.View
	names  func() map[int]string // of threads that still live; nil when nobody knows
	chosen int                   // the current thread if somebody chose it, else 0
}

// ViewMoved is told that the view has moved.
func (p *past) ViewMoved() { p.chosen = 0 }

// CurrentThread is the one that made the step on the way here, unless another
// one was chosen.
func (p *past) CurrentThread() (int, error) {
	if p.chosen != 0 {
		return p.chosen, nil
	}
	return p.Thread(), nil
}

// SetCurrentThread chooses another one for this moment.
func (p *past) SetCurrentThread(id int) error {
	if !slices.Contains(p.View.Threads(), id) {
		return proc.ErrNoThread
	}
	p.chosen = id
	return nil
}

// Threads are those that lived at the moment.
func (p *past) Threads() ([]proc.ThreadInfo, error) {
	current, _ := p.CurrentThread() // there always is one
	var names map[int]string
	if p.names != nil {
		names = p.names()
	}
	var all []proc.ThreadInfo
	for _, id := range p.View.Threads() {
		all = append(all, proc.ThreadInfo{ID: id, Name: names[id], Current: id == current})
	}
	return all, nil
}

// Regs returns the registers of a thread.
func (p *past) Regs(thread int) (ptrace.Regs, error) {
	return p.View.Regs(p.thread(thread))
}

// XState returns the vector state of a thread.
func (p *past) XState(thread int, buf []byte) ([]byte, error) {
	return p.View.XState(p.thread(thread), buf)
}

func (p *past) thread(id int) int {
	if id == 0 {
		return p.chosen
	}
	return id
}

// Maps are the mappings of the moment.
func (p *past) Maps() (proc.Maps, error) { return p.View.Maps(), nil }
