package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// Record runs a program and writes a recording of it to w. If the program does what
// cannot be recorded, the recording ends before that, and the program runs on. Record then
// waits for its end, but not longer than for that of ctx, which ends a recording, too. The error
// is that of a program that could not be started.
//
//	Record
//	├─ image           the first state
//	└─ run
//	   ├─ call         a system call, with what it has written
//	   ├─ native       rdtsc, cpuid, …
//	   ├─ signal       the frame of a signal
//	   └─ schedule     the thread that runs next
func Record(ctx context.Context, p Program, w io.Writer) (Result, error) {
	out, err := recfile.NewWriter(w)
	if err != nil {
		return Result{}, err
	}
	r := newRecorder(out, p.Known, p.scheduler())
	r.entries, r.endDeadlocks = p.entries(), p.EndDeadlocks
	if r.tracer, err = ptrace.Start(); err != nil {
		return Result{}, err
	}
	err = r.tracer.Do(context.WithoutCancel(ctx), func() error { return r.launch(ctx, &p) })
	r.tracer.Close() // children whose first stop has not come run on
	if err != nil {
		return Result{}, err
	}
	if !r.gone {
		r.result.Err = errors.Join(r.result.Err, r.awaitEnd(ctx))
	}
	r.result.Positions, r.result.Events, r.result.Children = r.log.recorded, out.Events(), r.family.close()
	r.result.Err = errors.Join(r.result.Err, out.Finish())
	return r.result, nil
}

// launch starts a program, records it, and lets it run on if it has not ended. The error is
// that of a program that could not be started.
func (r *recorder) launch(ctx context.Context, p *Program) (err error) {
	if err := unix.SchedGetaffinity(0, &r.affinity); err != nil {
		return err
	}
	if err := pinTo(r.tracer, &r.affinity, p.Place); err != nil {
		return err
	}
	defer func() { _ = r.tracer.Unpin() }() // the thread ends with the tracer
	attr := syscall.ProcAttr{Env: p.Env, Files: p.Files}
	if p.Chaos {
		defer replay.WithoutRandomAddresses()()
	}
	if r.pid, err = r.tracer.Launch(p.Path, p.Args, &attr, ptrace.Options|ptrace.FilterEvents); err != nil {
		return err
	}
	if p.Started != nil {
		p.Started(r.pid)
	}
	r.family, r.filters = newFamily(ctx, p, r.affinity), !p.Chaos
	r.recordFrom(ctx, r.begin(0))
	if !r.gone {
		r.result.Err = errors.Join(r.result.Err, r.detach())
	}
	r.result.Err = errors.Join(r.result.Err, r.closeRun())
	return nil
}

// entries returns the entries that a recorder of the program learns from. Code that is executed in place
// for chaos is not the same each time.
func (p *Program) entries() *inplace.Entries {
	if p.Known == nil || p.Chaos {
		return nil
	}
	return inplace.NewEntries(p.Known)
}

// A recorder records a program.
type recorder struct {
	tracer    *ptrace.Tracer
	pid       int
	run       *inplace.Runner
	log       eventLog
	entries   *inplace.Entries // or nil
	result    Result
	gone      bool    // the program has ended
	stoppable bool    // the recording may end before the program
	filters   bool    // the process may get the filter of CallBuffer.Use, and is traced with its events
	filter    bool    // the process has it
	lost      bool    // it has made system calls that could not be recorded
	family    *family // that records children, or nil

	affinity unix.CPUSet // of this program, and so of the recorded one before it is pinned

	live       *intrusion // what is changed in a process that was started before; nil for none
	mappings   mappings
	stretch    *stretch // of a process that a debugger has; nil for none
	newest     uint64   // position at which the last segment begins
	segmentDue bool     // another segment is to begin
	opened     opened

	turns turns
	late  lateSignals

	effects  effects
	futexes  futexes
	adjuster adjuster

	endDeadlocks bool // see Program
}

// newRecorder returns a recorder that writes a recording, without a process. Known may be nil, see Program.
func newRecorder(out *recfile.Writer, known *filecache.Cache, s *scheduler) *recorder {
	r := &recorder{log: eventLog{out: out}, mappings: mappings{files: newFiles(out, known)}}
	r.turns = turns{log: &r.log, scheduler: s}
	r.late = lateSignals{log: &r.log, scheduler: s}
	r.effects = effects{log: &r.log, mapped: &r.mappings.shared}
	r.futexes = futexes{log: &r.log, turns: &r.turns, effects: &r.effects, result: &r.result}
	r.adjuster = adjuster{log: &r.log, effects: &r.effects, scheduler: s, result: &r.result}
	return r
}

// pinTo is pin to the processor for a place, of those that are permitted.
func pinTo(tracer *ptrace.Tracer, permitted *unix.CPUSet, place int) error {
	if count := permitted.Count(); place > 0 && count > 0 {
		nth := (place - 1) % count
		for cpu := range len(permitted) * 64 {
			if !permitted.IsSet(cpu) {
				continue
			}
			if nth == 0 {
				return tracer.Pin(cpu)
			}
			nth--
		}
	}
	return replay.Pin(tracer)
}

// recordFrom records from the first state on, unless that has failed with an error.
func (r *recorder) recordFrom(ctx context.Context, err error) {
	r.stoppable = ctx.Done() != nil || r.endDeadlocks
	for err == nil && !r.gone {
		err = r.next(ctx)
	}
	if err == nil {
		return
	}
	r.result.Cut = err.Error()
	if reason := cutError(""); !errors.As(err, &reason) && !errors.Is(err, inplace.ErrThreads) {
		r.result.Err = err
	}
	if err := r.log.out.End(&recfile.Event{Kind: recfile.Cut, Position: r.log.recorded, Reason: r.result.Cut, Immediate: r.log.immediate()}); err != nil {
		r.result.Err = errors.Join(r.result.Err, err)
	}
}

// begin records the first state of a program. The number is that of the system call
// that has begun it, or 0.
func (r *recorder) begin(number uint64) error {
	e, err := r.mappings.files.image(r.tracer, r.pid)
	if err != nil {
		return err
	}
	if r.mappings.heap, err = programBreak(r.pid); err != nil {
		return err
	}
	e.Position, e.Number = r.log.position(), number
	if err := r.addFirst(&e); err != nil {
		return err
	}
	r.log.base, r.log.extra, r.mappings.withChildren = r.log.position()+e.Positions(), 0, false
	r.mappings.shared.close()
	r.log.current, r.log.shown, r.turns.atAtomics = new(thread), r.pid, false
	r.log.threads = map[int]*thread{r.pid: r.log.current}
	run, err := inplace.New(r.tracer, r.pid)
	if err != nil {
		return err
	}
	r.use(run)
	if r.entries != nil {
		r.run.Learn(r.entries)
	}
	r.bufferCalls()
	r.family.follow(r.run)
	return hideSavedVDSO(run, r.pid)
}

// use makes a Runner that of the program, or none between two of them.
func (r *recorder) use(run *inplace.Runner) {
	r.run, r.log.run, r.opened.run, r.mappings.run = run, run, run, run
	r.mappings.shared.run, r.mappings.shared.pid = run, r.pid
	r.late.pid, r.adjuster.pid = r.pid, r.pid
}

// next runs to the next event and records it.
func (r *recorder) next(ctx context.Context) error {
	if err := r.beforeRun(); err != nil {
		return err
	}
	stop, err := r.run.Run(ctx, r.slice())
	if r.lost {
		return r.endLost(stop, err)
	}
	r.log.current.call = nil // if it was to wait, it has not
	if stop.Kind == inplace.Exited {
		return r.killed(stop)
	}
	if err := r.mappings.shared.readReports(nil); err != nil {
		return err
	}
	if r.log.recorded = r.log.position(); err == nil && stop.Kind == inplace.Done && ctx.Err() != nil {
		return errStopped
	}
	if stop, err = r.handleAll(stop, err); err != nil || r.gone {
		return err
	}
	r.segmentDue = r.log.out.SegmentDue()
	scheduled := stop.Kind == inplace.Blocked || r.turns.over()
	if scheduled {
		err = r.schedule(ctx)
	}
	if err == nil && r.segmentDue && (scheduled || len(r.log.threads) == 1) {
		err = r.segment()
	}
	if err == nil {
		err = r.log.out.FlushDue()
	}
	if err == nil && !r.gone && r.log.out.Full() {
		err = r.log.out.FullError()
	}
	return errors.Join(err, r.mappings.files.err)
}

// errStopped ends a recording before the program.
var errStopped = cutError("the recorder was stopped")

// handleAll records a stop, and those that follow at once.
func (r *recorder) handleAll(stop inplace.Stop, err error) (inplace.Stop, error) {
	for err == nil && stop.Kind != inplace.Done && stop.Kind != inplace.Blocked {
		r.log.recorded = r.log.position()
		if stop.Kind == inplace.Call {
			if err := r.opened.hideCache(); err != nil {
				return stop, err
			}
		}
		stop, err = r.handle(stop)
	}
	return stop, err
}

// handle records a stop, and returns the one that follows at once, or one of kind Done.
func (r *recorder) handle(stop inplace.Stop) (inplace.Stop, error) {
	switch stop.Kind {
	case inplace.Call:
		return r.call()
	case inplace.Native:
		return r.native()
	case inplace.Signal:
		return r.signal()
	case inplace.Exec:
		return r.exec()
	case inplace.Reached:
		return inplace.Stop{Kind: inplace.Done}, nil // see look
	case inplace.Exited:
		e := recfile.Event{Kind: recfile.Ended, Position: r.log.recorded, Immediate: r.log.immediate()}
		return inplace.Stop{Kind: inplace.Done}, r.ended(&e, stop)
	}
	return stop, fmt.Errorf("a stop of kind %d", stop.Kind)
}

// longest is more than the number of instructions of a block.
const longest = 128

// killed records that the process was killed while it ran. It may not have executed the
// last block, which is counted at its beginning.
func (r *recorder) killed(stop inplace.Stop) error {
	at := r.log.position()
	r.log.recorded = max(r.log.recorded, at-min(at, longest))
	return r.ended(&recfile.Event{Kind: recfile.Ended, Position: r.log.recorded, Immediate: r.log.immediate()}, stop)
}

// ended records the end of the process.
func (r *recorder) ended(e *recfile.Event, stop inplace.Stop) error {
	r.gone = true
	r.result.Status, r.result.Killed = stop.Status, stop.Killed
	e.Number, e.Status = uint64(stop.Killed), stop.Status
	return r.log.out.Add(e)
}

// detach lets the program run on by itself, on any processor.
func (r *recorder) detach() error {
	if r.run == nil {
		_ = unix.SchedSetaffinity(r.pid, &r.affinity) // it stays on one processor otherwise
		return r.tracer.Detach(r.pid, 0)
	}
	var err error
	for _, tid := range slices.Backward(r.run.Threads()) { // the first thread is the last one
		_ = unix.SchedSetaffinity(tid, &r.affinity)
		detached := r.detachThread(tid)
		switch {
		case !errors.Is(detached, ptrace.ErrGone):
			err = errors.Join(err, detached)
		case tid != r.pid:
			_, _ = wait4(tid) // those that run on have ended the process
		}
	}
	return err
}

// wait4 waits for the end of a child or a traced thread.
func wait4(id int) (status unix.WaitStatus, err error) {
	for {
		_, err = unix.Wait4(id, &status, unix.WALL, nil)
		if err == nil && (status.Exited() || status.Signaled()) || err != nil && !errors.Is(err, unix.EINTR) {
			return status, err
		}
	}
}

// awaitEnd waits for the end of the program, which is not traced, until ctx is done.
func (r *recorder) awaitEnd(ctx context.Context) error {
	var status unix.WaitStatus
	ended := make(chan error, 1)
	go func() {
		var err error
		status, err = wait4(r.pid)
		ended <- err
	}()
	select {
	case <-ctx.Done():
		r.result.Running = true
		return nil
	case err := <-ended:
		if r.result.Status = status.ExitStatus(); status.Signaled() {
			r.result.Killed = int(status.Signal())
		}
		return err
	}
}
