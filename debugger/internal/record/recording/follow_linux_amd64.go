package recording

import (
	"context"
	"errors"
	"io"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A family records the children of a program and their children, each with a recorder of
// its own, on a tracer of its own. The recordings end with the program.
type family struct {
	ctx      context.Context //nolint:containedctx // until the program ends
	cancel   context.CancelFunc
	program  *Program
	affinity unix.CPUSet // of processes that are recorded no longer
	running  sync.WaitGroup

	mu      sync.Mutex // guards results
	results []ChildResult
}

// newFamily returns the family of a program, or nil if its children are not recorded.
func newFamily(ctx context.Context, p *Program, affinity unix.CPUSet) *family {
	if p.Child == nil {
		return nil
	}
	f := &family{program: p, affinity: affinity}
	f.ctx, f.cancel = context.WithCancel(ctx)
	return f
}

// close ends the recordings and returns their results.
func (f *family) close() []ChildResult {
	if f == nil {
		return nil
	}
	f.cancel()
	f.running.Wait()
	return f.results
}

// follow makes a Runner hand its children to the family.
func (f *family) follow(r *inplace.Runner) {
	if f == nil {
		return
	}
	r.Follow = func(c inplace.Child) {
		f.running.Go(func() { f.record(&c) })
	}
}

// record records a child.
func (f *family) record(c *inplace.Child) {
	result, err := f.recordChild(c)
	result.Err = errors.Join(result.Err, err)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.results = append(f.results, ChildResult{c.PID, result})
}

func (f *family) recordChild(c *inplace.Child) (result Result, err error) {
	tracer, err := ptrace.Start()
	if err != nil {
		return Result{}, err
	}
	defer tracer.Close()
	err = tracer.Do(context.WithoutCancel(f.ctx), func() error {
		if err := c.Take(tracer); errors.Is(err, inplace.ErrRanOn) {
			return errors.Join(err, f.release(tracer, c))
		} else if err != nil {
			return err
		}
		out := f.program.Child(c.PID)
		if out == nil {
			return f.release(tracer, c)
		}
		result, err = f.recordInto(tracer, c, out)
		return errors.Join(err, out.Close())
	})
	return result, err
}

// release lets a child run on unrecorded.
func (f *family) release(tracer *ptrace.Tracer, c *inplace.Child) error {
	_ = unix.SchedSetaffinity(c.PID, &f.affinity) // it stays on one processor otherwise
	return tracer.Detach(c.PID, 0)
}

func (f *family) recordInto(tracer *ptrace.Tracer, c *inplace.Child, w io.Writer) (Result, error) {
	out, err := recfile.NewWriter(w)
	if err != nil {
		return Result{}, errors.Join(err, f.release(tracer, c))
	}
	r := newRecorder(out, f.program.Known, f.program.scheduler())
	r.tracer, r.pid, r.affinity, r.family, r.entries = tracer, c.PID, f.affinity, f, f.program.entries()
	r.filters, r.filter = !f.program.Chaos, c.Filtered
	pinLike(tracer, c.PID)
	r.recordFrom(f.ctx, r.beginChild(context.WithoutCancel(f.ctx), c))
	if !r.gone {
		r.result.Running = true
		r.result.Err = errors.Join(r.result.Err, r.detach())
	}
	if r.live != nil {
		r.result.Err = errors.Join(r.result.Err, r.live.memory.Close())
	}
	r.result.Err = errors.Join(r.result.Err, r.closeRun())
	r.result.Positions, r.result.Events = r.log.recorded, out.Events()
	r.result.Err = errors.Join(r.result.Err, out.Finish())
	return r.result, nil
}

// beginChild begins the recording of a child.
func (r *recorder) beginChild(ctx context.Context, c *inplace.Child) error {
	if c.New {
		return r.begin(0)
	}
	inject := func(tid int, number uint64, args [6]uint64, other func(ptrace.Event)) (uint64, error) {
		if other == nil {
			other = func(ptrace.Event) {}
		}
		site, err := inplace.SyscallSite(tid)
		if err != nil {
			return 0, err
		}
		return r.tracer.Inject(tid, site, number, args, other)
	}
	filters := 0
	if c.Filtered {
		filters = 1
	}
	i, err := intrude(r.tracer, c.PID, []int{c.PID}, filters, inject, func(ptrace.Event) {})
	if err != nil {
		return err
	}
	first, err := r.adopt(ctx, i, new(proc.Loan))
	if err != nil {
		return err
	}
	r.bufferCalls()
	return r.addFirst(&first)
}

// pinLike binds the tracer's thread to the processor that a process is bound to.
func pinLike(tracer *ptrace.Tracer, pid int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(pid, &set) != nil || set.Count() != 1 {
		return
	}
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			_ = tracer.Pin(cpu) // stops cost more then
		}
	}
}
