package session

import (
	"context"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
)

// WriteMemory writes memory of the process. If there is a history, it records
// the write.
func (s *Session) WriteMemory(addr uint64, data []byte) (int, error) {
	if s.Timeline.Recorder == nil {
		return s.Target.Process.WriteMemory(addr, data)
	}
	n, err := s.Timeline.Recorder.WriteMemory(addr, data)
	return n, s.changed(err)
}

// EvaluateCalls evaluates an expression that may call functions of the process. If there
// is a history, it records that they ran.
func (s *Session) EvaluateCalls(ctx context.Context, text string, thread, frame int) (expr.Value, error) {
	v, err := s.Stepper.EvaluateCalls(ctx, text, thread, frame)
	if ended, ok := s.Target.ExitStop(); ok {
		s.RecordStop(ended)
	}
	return v, s.changed(err)
}

// SetSignal sets the action for a signal from now on, also when the program is launched
// again.
func (s *Session) SetSignal(sig syscall.Signal, action proc.Action) error {
	if err := s.Target.Process.SetSignal(sig, action); err != nil {
		return err
	}
	if s.signals == nil {
		s.signals = map[syscall.Signal]proc.Action{}
	}
	s.signals[sig] = action
	return nil
}

// SelectThread makes another thread the current one.
func (s *Session) SelectThread(thread int) error {
	if err := s.Target.View.SetCurrentThread(thread); err != nil {
		return err
	}
	reason := s.State().Reason
	if thread != s.State().Thread {
		reason = Reasons[s.Target.CurrentStop().Why]
	}
	s.RecordStop(s.Target.CurrentStop())
	s.SetReason(reason)
	return nil
}

// SetReason changes why the process is stopped.
func (s *Session) SetReason(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Reason = reason
}

// WriteRegisters replaces the registers of a thread. If there is a history, it
// records the change.
func (s *Session) WriteRegisters(thread int, regs ptrace.Regs) error {
	if s.Timeline.Recorder == nil {
		return s.Target.Process.SetRegs(thread, regs)
	}
	return s.changed(s.Timeline.Recorder.SetRegs(thread, regs))
}

// WriteVectors replaces the vector state of a thread. If there is a history,
// it records the change.
func (s *Session) WriteVectors(thread int, state []byte) error {
	if s.Timeline.Recorder == nil {
		return s.Target.Process.SetXState(thread, state)
	}
	return s.changed(s.Timeline.Recorder.SetXState(thread, state))
}

// changed updates the position after a change was recorded, and returns the
// error of the change.
func (s *Session) changed(err error) error {
	s.mu.Lock()
	s.now.History = s.Timeline.Position()
	s.mu.Unlock()
	return err
}

// LeavePanics lets the process run through panics, for a debugger that decides
// about them itself.
func (s *Session) LeavePanics(ctx context.Context) error {
	_, leave, err := s.AcquireIdle(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s.Breakpoints.StopAtPanics(false)
	return nil
}
