package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// StepInstruction executes one instruction of the current thread, with the call
// that it makes, if any.
func (s *Stepper) StepInstruction(ctx context.Context) (proc.Stop, error) {
	in := s.Inspector.Instruction(s.Target.CurrentStop().Address)
	w := s.newLineWalk(false, func(uint64) bool { return true })
	stop, over, err := w.step(ctx)
	if over || err != nil || !in.Class.Is(x86.Call) || stop.Address == in.Next() {
		return stop, err
	}
	stop, _, err = w.call(ctx, stop, in.Next())
	return stop, err
}
