package inplace

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Fork makes the process fork and returns a Runner for the child, which is stopped at the
// same place with the same registers and memory. Its parent is that of the process. The
// program does not notice. It must be
// called between stops, and not at one of kind [Signal].
func (r *Runner) Fork() (*Runner, error) {
	if r.Regs.CS != longMode {
		return nil, errMode
	}
	if err := r.toEventStop(); err != nil {
		return nil, err
	}
	mask, err := r.tracer.SigMask(r.tid)
	if err != nil {
		return nil, err
	}
	stopped := map[int]bool{}
	child, err := r.tracer.Inject(r.tid, r.space.site, unix.SYS_CLONE, [6]uint64{unix.CLONE_PARENT}, func(e ptrace.Event) {
		if e.Thread == r.tid {
			r.beside(e)
			return
		}
		stopped[e.Thread] = !e.Gone()
	})
	if err != nil {
		return nil, fmt.Errorf("fork process %d: %w", r.tid, err)
	}
	for !stopped[int(child)] {
		e, err := r.tracer.Wait()
		if err != nil {
			return nil, err
		}
		if e.Thread == r.tid {
			return nil, fmt.Errorf("process %d has stopped while it forked: %v", r.tid, e.Kind)
		}
		stopped[e.Thread] = !e.Gone()
	}
	f, err := r.adoptChild(int(child), mask)
	if err != nil {
		return nil, errors.Join(err, unix.Kill(int(child), unix.SIGKILL))
	}
	return f, nil
}

// adoptChild returns a Runner for a child that has just been forked.
func (r *Runner) adoptChild(tid int, mask uint64) (*Runner, error) {
	if err := r.tracer.SetRegs(tid, &r.Regs); err != nil {
		return nil, err
	}
	if err := r.tracer.SetSigMask(tid, mask); err != nil {
		return nil, err
	}
	for _, m := range r.space.shared.mapped {
		args := [6]uint64{m.Start, m.Len()}
		if _, err := r.tracer.Inject(tid, r.space.site, unix.SYS_MUNMAP, args, r.beside); err != nil {
			return nil, err
		}
	}
	f, err := New(r.tracer, tid)
	if err == nil {
		f.Replays = r.Replays
	}
	return f, err
}
