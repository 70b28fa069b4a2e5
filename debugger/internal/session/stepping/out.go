package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// StepOut runs until the function returns to its caller. An inlined function
// ends with its code.
func (s *Stepper) StepOut(ctx context.Context) (proc.Stop, error) {
	frames, err := s.Inspector.Frames(0, inspect.MaxInlined)
	if err != nil {
		return proc.Stop{}, err
	}
	inner := frames[0]
	if inner.Inlined {
		w := s.newLineWalk(false, func(pc uint64) bool {
			f, ok := s.Inspector.Program.Function(pc)
			return !ok || len(f.Inlined) == 0 || f.Inlined[0] != inner.Function
		})
		return w.run(ctx, inner.PC)
	}
	for i := range frames {
		if f := &frames[i]; f.CFA != inner.CFA {
			return s.stepOutTo(ctx, f.PC, inner.CFA)
		}
	}
	return proc.Stop{}, failure.Errorf("No caller", "this is the outermost function that can be found")
}

func (s *Stepper) stepOutTo(ctx context.Context, pc, sp uint64) (proc.Stop, error) {
	out, err := s.Inspector.LevelOf(s.Target.CurrentStop().Thread, sp)
	if err != nil {
		return proc.Stop{}, err
	}
	w := s.newLineWalk(false, nil)
	w.top = s.Inspector.CallersEnd()
	stop, over, err := w.out(ctx, pc, out, sp)
	if over || err != nil || w.arrive == nil {
		return stop, err
	}
	return w.run(ctx, stop.Address)
}
