package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
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
//	   └─ signal       the frame of a signal
func Record(ctx context.Context, p Program, w io.Writer) (result Result, err error) {
	tracer, err := ptrace.Start()
	if err != nil {
		return Result{}, err
	}
	defer tracer.Close()
	err = tracer.Do(context.WithoutCancel(ctx), func() error {
		result, err = record(ctx, tracer, p, w)
		return err
	})
	return result, err
}

func record(ctx context.Context, tracer *ptrace.Tracer, p Program, w io.Writer) (Result, error) {
	out, err := NewWriter(w)
	if err != nil {
		return Result{}, err
	}
	r := &recorder{tracer: tracer, out: out, files: files{writer: out, known: make(map[stamp]int)}}
	if err := errors.Join(unix.SchedGetaffinity(0, &r.affinity), pin(tracer)); err != nil {
		return Result{}, err
	}
	defer func() { _ = tracer.Unpin() }() // the thread ends with the tracer
	if r.pid, err = tracer.Launch(p.Path, p.Args, &syscall.ProcAttr{Env: p.Env, Files: p.Files}, ptrace.Options); err != nil {
		return Result{}, err
	}
	if p.Started != nil {
		p.Started(r.pid)
	}
	r.record(ctx)
	if !r.gone {
		r.result.Err = errors.Join(r.result.Err, r.detach())
	}
	if r.run != nil {
		r.result.Err = errors.Join(r.result.Err, r.run.Close())
	}
	if !r.gone {
		r.result.Err = errors.Join(r.result.Err, r.await(ctx))
	}
	r.result.Positions, r.result.Events = r.recorded, out.events
	r.result.Err = errors.Join(r.result.Err, out.Close())
	return r.result, nil
}

// A recorder records a program.
type recorder struct {
	tracer *ptrace.Tracer
	pid    int
	run    *inplace.Runner
	out    *Writer
	files  files
	result Result
	gone   bool // the program has ended

	affinity unix.CPUSet // of this program, and so of the recorded one before it is pinned

	base     uint64      // positions before this image
	recorded uint64      // position up to which everything is recorded
	signals  uint64      // delivered in this image
	after    ptrace.Regs // registers that a replay has, if immediate
	waiting  bool        // the last system call was interrupted, see Event.Immediate
	heap     uint64      // end of the heap
	shared   bool        // there is anonymous memory that children share
}

// position returns the number of instructions and signals so far.
func (r *recorder) position() uint64 {
	if r.run == nil {
		return r.base
	}
	return r.base + uint64(r.run.Executed()) + r.signals
}

// pin binds the tracer's thread, and processes that it starts from then on, to the
// processor that it runs on. Stops cost a fifth of what they cost across processors.
func pin(tracer *ptrace.Tracer) error {
	cpu := uint32(0)
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return errno
	}
	return tracer.Pin(int(cpu))
}

// cutError ends a recording for a reason.
type cutError string

func (e cutError) Error() string { return string(e) }

// record records to the end of the program or of the recording.
func (r *recorder) record(ctx context.Context) {
	err := r.begin(0)
	for err == nil && !r.gone {
		err = r.next(ctx)
	}
	if err == nil {
		return
	}
	r.result.Cut = err.Error()
	if reason := cutError(""); r.out.events == 0 || !errors.As(err, &reason) && !errors.Is(err, inplace.ErrThreads) {
		r.result.Err = err
	}
	if err := r.out.Add(&Event{Kind: Cut, Position: r.recorded, Reason: r.result.Cut, Immediate: r.waiting}); err != nil {
		r.result.Err = errors.Join(r.result.Err, err)
	}
}

// begin records the first state of a program. The number is that of the system call
// that has begun it, or 0.
func (r *recorder) begin(number uint64) error {
	e, err := r.image(r.pid)
	if err != nil {
		return err
	}
	if r.heap, err = programBreak(r.pid); err != nil {
		return err
	}
	e.Position, e.Number = r.position(), number
	if err := errors.Join(r.out.Add(&e), r.files.err); err != nil {
		return err
	}
	r.base, r.signals, r.waiting, r.shared = r.position()+e.duration(), 0, false, false
	if r.run, err = inplace.New(r.tracer, r.pid); err != nil {
		r.run = nil
		return err
	}
	return nil
}

// flushEvery is the number of bytes after which events are made readable.
const flushEvery = 1 << 20

// next runs to the next event and records it.
func (r *recorder) next(ctx context.Context) error {
	size := r.out.Size()
	stop, err := r.run.Run(ctx, 1<<50)
	if stop.Kind == inplace.Exited {
		return r.killed(stop)
	}
	if r.recorded = r.position(); err == nil && stop.Kind == inplace.Done && ctx.Err() != nil {
		return cutError("the recorder was stopped")
	}
	for err == nil && stop.Kind != inplace.Done {
		r.recorded = r.position()
		stop, err = r.handle(stop)
	}
	if err == nil && r.out.Size()/flushEvery != size/flushEvery {
		err = r.out.Flush()
	}
	return errors.Join(err, r.files.err)
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
	case inplace.Exited:
		e := r.event(Ended)
		e.Position = r.recorded
		return inplace.Stop{Kind: inplace.Done}, r.ended(&e, stop)
	}
	return stop, fmt.Errorf("a stop of kind %d", stop.Kind)
}

// longest is more than the number of instructions of a block.
const longest = 128

// killed records that the process was killed while it ran. It may not have executed the
// last block, which is counted at its beginning.
func (r *recorder) killed(stop inplace.Stop) error {
	at := r.position()
	r.recorded = max(r.recorded, at-min(at, longest))
	return r.ended(&Event{Kind: Ended, Position: r.recorded, Immediate: r.waiting}, stop)
}

// ended records the end of the process.
func (r *recorder) ended(e *Event, stop inplace.Stop) error {
	r.gone = true
	r.result.Status, r.result.Killed = stop.Status, stop.Killed
	e.Number, e.Status = uint64(stop.Killed), stop.Status
	return r.out.Add(e)
}

// event returns an event at the current position.
func (r *recorder) event(kind Kind) Event {
	before := r.run.Regs
	if r.waiting {
		before = r.after
	}
	return Event{Kind: kind, Position: r.position(), Immediate: r.waiting, Hash: hashRegisters(&before)}
}

// add adds an event that has led to the registers of the Runner.
func (r *recorder) add(e *Event, before ptrace.Regs) error {
	if e.Immediate {
		before = r.after
	}
	e.Registers = changed(&before, &r.run.Regs)
	r.waiting, r.after = r.run.Regs.Restarts(), r.run.Regs
	return r.out.Add(e)
}

// detach lets the program run on by itself, on any processor.
func (r *recorder) detach() error {
	if r.run != nil {
		if err := r.run.Release(); err != nil {
			return err
		}
	}
	_ = unix.SchedSetaffinity(r.pid, &r.affinity) // it stays on one processor otherwise
	return r.tracer.Detach(r.pid, 0)
}

// await waits for the end of the program, which is not traced, until ctx is done.
func (r *recorder) await(ctx context.Context) error {
	var status unix.WaitStatus
	ended := make(chan error, 1)
	go func() {
		_, err := unix.Wait4(r.pid, &status, 0, nil)
		for errors.Is(err, unix.EINTR) {
			_, err = unix.Wait4(r.pid, &status, 0, nil)
		}
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
