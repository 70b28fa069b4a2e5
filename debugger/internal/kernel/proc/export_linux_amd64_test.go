package proc

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Occupy keeps the tracer's thread busy until release is called.
func (p *Process) Occupy() (release func()) {
	free, begun := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- p.tracer.Do(context.Background(), func() error {
			close(begun)
			<-free
			return nil
		})
	}()
	<-begun
	return func() {
		close(free)
		<-done
	}
}

// Published returns what the guard would do. It is called on the tracer's thread.
func (p *Process) Published() guard.Work { return guard.Work(p.rescue.guard.Journal().Published() & 7) }

// SigMask returns the set of signals that a thread blocks. Bit 0 is signal 1.
func (p *Process) SigMask(thread int) (uint64, error) {
	var mask uint64
	err := p.access.withTracerReadOnly(func() error {
		t, err := p.threads.find(thread)
		if err != nil {
			return err
		}
		mask, err = p.tracer.SigMask(t.id)
		if t.mask.cleared {
			mask |= trapBit
		}
		return p.tracee.checkEnded(err)
	})
	return mask, err
}

// AnnounceChild handles the event of a fork.
func (p *Process) AnnounceChild(child int) error {
	return p.access.withTracer(func() error {
		p.events.handleNewTask(ptrace.Event{Thread: p.tracee.pid, Kind: ptrace.Fork, Message: uint64(child)})
		return nil
	})
}

// StopChild attaches to a child, whose first stop it handles.
func (p *Process) StopChild(child int) error {
	return p.access.withTracer(func() error {
		err := errors.Join(p.tracer.Seize(child, ptrace.Options), p.tracer.Interrupt(child))
		for err == nil {
			var e ptrace.Event
			if e, err = p.tracer.Wait(); err == nil && e.Thread == child {
				p.events.handle(e)
				return nil
			}
		}
		return err
	})
}

// WithoutSyscallInfo makes the kernel look older than Linux 5.3 until restore is called.
func WithoutSyscallInfo() (restore func()) {
	noSyscallInfo = true
	return func() { noSyscallInfo = false }
}
