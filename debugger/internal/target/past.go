package target

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Past is a moment of a history.
type Past struct {
	*history.View
	Names  func() map[int]string // of threads that still live; nil when nobody knows
	chosen int                   // the current thread if somebody chose it, else 0
}

// ViewMoved is told that the view has moved.
func (p *Past) ViewMoved() { p.chosen = 0 }

// CurrentThread is the one that made the step on the way here, unless another
// one was chosen.
func (p *Past) CurrentThread() (int, error) {
	if p.chosen != 0 {
		return p.chosen, nil
	}
	return p.Thread(), nil
}

// SetCurrentThread chooses another one for this moment.
func (p *Past) SetCurrentThread(id int) error {
	if !slices.Contains(p.View.Threads(), id) {
		return proc.ErrNoThread
	}
	p.chosen = id
	return nil
}

// Threads are those that lived at the moment.
func (p *Past) Threads() ([]proc.ThreadInfo, error) {
	current, _ := p.CurrentThread() // there always is one
	var names map[int]string
	if p.Names != nil {
		names = p.Names()
	}
	var all []proc.ThreadInfo
	for _, id := range p.View.Threads() {
		all = append(all, proc.ThreadInfo{ID: id, Name: names[id], Current: id == current})
	}
	return all, nil
}

// Regs returns the registers of a thread.
func (p *Past) Regs(thread int) (ptrace.Regs, error) {
	return p.View.Regs(p.thread(thread))
}

// XState returns the vector state of a thread.
func (p *Past) XState(thread int, buf []byte) ([]byte, error) {
	return p.View.XState(p.thread(thread), buf)
}

func (p *Past) thread(id int) int {
	if id == 0 {
		return p.chosen
	}
	return id
}

// Maps are the mappings of the moment.
func (p *Past) Maps() (proc.Maps, error) { return p.View.Maps(), nil }
