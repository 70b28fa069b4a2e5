package proc

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/proc/guard"
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
func (p *Process) Published() guard.Work { return guard.Work(p.guard.Journal().Published() & 7) }
