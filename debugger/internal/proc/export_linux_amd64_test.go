package proc

import "context"

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
