package recording

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Attach records a process that runs, until it ends, does what cannot be recorded, or ctx is
// done. The process then runs on. The error is that of a process that cannot be recorded, of
// which nothing was written.
func Attach(ctx context.Context, pid int, w io.Writer) (result Result, err error) {
	process, err := proc.Attach(ctx, pid, proc.Options{})
	if err != nil {
		return Result{}, err
	}
	repeatAtOnce(process, pid)
	err = process.Lend(ctx, func(l *proc.Loan) error {
		result, err = recordLoan(ctx, l, w)
		return err
	})
	return result, errors.Join(err, process.Detach(context.WithoutCancel(ctx)))
}

// repeatAtOnce makes threads begin system calls again that have failed because they were
// stopped, before anything takes time: they would go on with the error if this program were
// killed. What fails here is tried again later.
func repeatAtOnce(process *proc.Process, pid int) {
	threads, _ := process.Threads()
	for _, t := range threads {
		regs, err := process.Regs(t.ID)
		if err == nil && repeats(pid, t.ID, &regs) {
			_ = process.SetRegs(t.ID, regs)
		}
	}
}

// recordLoan records a process that was lent.
func recordLoan(ctx context.Context, l *proc.Loan, w io.Writer) (Result, error) {
	out, err := recfile.NewWriter(w)
	if err != nil {
		return Result{}, err
	}
	r := newRecorder(out, nil, newScheduler(rand.Uint64()))
	r.tracer, r.pid = l.Tracer, l.PID
	i, err := intrudeLoan(l)
	if err != nil {
		return Result{}, err
	}
	i.pin()
	first, err := r.adopt(ctx, i, l)
	if err != nil {
		return Result{}, errors.Join(err, i.undo(l.Threads))
	}
	r.bufferLent(l)
	r.recordFrom(ctx, r.addFirst(&first))
	r.result.Err = errors.Join(r.result.Err, r.giveBack(l), r.closeRun())
	_ = l.Tracer.Unpin() // the session goes on with it
	r.result.Positions, r.result.Events, r.result.Running = r.log.recorded, out.Events(), !r.gone
	r.result.Err = errors.Join(r.result.Err, out.Finish())
	return r.result, nil
}

func (r *recorder) closeRun() error {
	r.mappings.shared.close()
	_ = r.entries.Save() // the next recording takes more time otherwise
	if r.run == nil {
		return nil
	}
	return r.run.Close()
}

// noteEnd notes the end of a process.
func noteEnd(l *proc.Loan, e ptrace.Event) {
	if e.Thread != l.PID || !e.Gone() {
		return
	}
	l.Ended = &proc.Stop{Why: proc.Exited, Thread: l.PID, Status: e.Status}
	if e.Kind == ptrace.Killed {
		l.Ended = &proc.Stop{Why: proc.Killed, Thread: l.PID, Signal: e.Signal}
	}
}

// giveBack leaves the process as it would be without a recorder.
func (r *recorder) giveBack(l *proc.Loan) error {
	if r.gone {
		l.Ended = &proc.Stop{Why: proc.Exited, Thread: r.pid, Status: r.result.Status}
		if r.result.Killed != 0 {
			l.Ended = &proc.Stop{Why: proc.Killed, Thread: r.pid, Signal: syscall.Signal(r.result.Killed)}
		}
		return r.live.memory.Close()
	}
	if errors.Is(r.result.Err, ptrace.ErrNoThreads) {
		l.Ended, r.gone, r.result.Err = &proc.Stop{Why: proc.Exited, Thread: r.pid, Status: proc.UnknownStatus}, true, nil
		r.result.Status = proc.UnknownStatus
		return r.live.memory.Close()
	}
	if l.Executed = r.live.executed; r.run == nil { // the program of an exec could not be translated
		return r.live.undo([]int{r.pid})
	}
	list, err := r.haltAll()
	l.Current = r.run.Thread()
	var threads []int
	for tid, info := range list {
		if info != nil {
			err = errors.Join(err, r.run.Switch(tid), r.run.Requeue(*info))
		}
		threads = append(threads, tid)
	}
	if len(threads) > 0 {
		err = errors.Join(err, r.run.Switch(threads[0]), r.run.Unmap())
	}
	err = errors.Join(err, r.live.undo(threads))
	if errors.Is(err, ptrace.ErrGone) && l.Ended == nil {
		return r.awaitGone(l)
	}
	return err
}

// awaitGone waits for the end of a process that was killed.
func (r *recorder) awaitGone(l *proc.Loan) error {
	for l.Ended == nil && !r.run.Gone() {
		e, err := r.tracer.Wait()
		if errors.Is(err, ptrace.ErrNoThreads) {
			break
		}
		if err != nil {
			return err
		}
		noteEnd(l, e)
	}
	if l.Ended == nil {
		l.Ended = &proc.Stop{Why: proc.Killed, Thread: l.PID, Signal: syscall.SIGKILL}
	}
	return nil
}

// pin binds the threads of the process, and the tracer's, to one processor, which is one of
// those that the process may use.
func (i *intrusion) pin() {
	allowed, ok := i.affinity[i.pid]
	if !ok {
		return
	}
	var own unix.CPUSet
	if unix.SchedGetaffinity(0, &own) != nil {
		return
	}
	for cpu := range len(own) * 64 {
		if !own.IsSet(cpu) || !allowed.IsSet(cpu) || i.tracer.Pin(cpu) != nil {
			continue
		}
		var one unix.CPUSet
		one.Set(cpu)
		for _, tid := range i.threads {
			_ = unix.SchedSetaffinity(tid, &one) // it only runs slower
		}
		return
	}
}
