package target

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Past is the View of a position in a history.
type Past struct {
	*history.View
	Names  func() map[int]string // of threads that are alive; may be nil
	chosen int                   // the current thread if it was chosen, else 0
}

// ViewMoved is called after the view has moved to another position.
func (p *Past) ViewMoved() { p.chosen = 0 }

// CurrentThread returns the thread that made the step to this position, unless
// another one was chosen.
func (p *Past) CurrentThread() (int, error) {
	if p.chosen != 0 {
		return p.chosen, nil
	}
	return p.Thread(), nil
}

// SetCurrentThread chooses another thread at this position.
func (p *Past) SetCurrentThread(id int) error {
	if !slices.Contains(p.View.Threads(), id) {
		return proc.ErrNoThread
	}
	p.chosen = id
	return nil
}

// Threads returns the threads that existed at the position.
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

// Maps returns the mappings at the position.
func (p *Past) Maps() (procfs.Maps, error) { return p.View.Maps(), nil }
