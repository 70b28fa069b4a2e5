package guard

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// What the guard does with the journal after the end of the debugger: it traces
// the threads that are in the rescue code, finishes what was begun, and lets
// them go.

// A ward is a thread that the guard takes care of.
type ward struct {
	tid    int
	regs   ptrace.Regs
	mask   *uint64
	vector []byte
	inside bool // it is parked, and stopped by the guard

	abandon time.Time // when to stop waiting for the function that it executes
}

// unfinished holds the work that a journal still requires.
type unfinished struct {
	state  Work
	rescue uint64
	wards  []*ward
	writes []pieceOf
}

// pieceOf is memory of a process.
type pieceOf struct {
	pid     int
	address uint64
	data    []byte
}

// read returns what the journal asks for. Of several records of a thread the
// last one counts.
func (j *Journal) read() unfinished {
	control := atomic.LoadUint64(j.control())
	u := unfinished{state: Work(control & (1<<stateBits - 1))}
	u.rescue, _ = j.rescue()
	if u.state == NoWork {
		return u
	}
	b := j.memory[journalBegin:][:control>>stateBits]
	for len(b) >= recordHead {
		kind, id := binary.LittleEndian.Uint32(b), int(binary.LittleEndian.Uint32(b[4:]))
		address, n := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
		data := b[recordHead:][:n]
		b = b[recordHead+(n+7)&^7:]
		switch kind {
		case recordMemory:
			u.writes = append(u.writes, pieceOf{id, address, data})
		case recordThread:
			u.ward(id).set(data)
		case recordVector:
			u.ward(id).vector = data
		}
	}
	return u
}

func (u *unfinished) ward(tid int) *ward {
	for _, w := range u.wards {
		if w.tid == tid {
			return w
		}
	}
	w := &ward{tid: tid}
	u.wards = append(u.wards, w)
	return w
}

// set takes registers and perhaps a signal mask.
func (w *ward) set(data []byte) {
	words := w.regs.Words()
	b := unsafe.Slice((*byte)(unsafe.Pointer(words)), len(words)*8)
	if copy(b, data); len(data) > len(b) {
		mask := binary.LittleEndian.Uint64(data[len(b):])
		w.mask = &mask
	}
}

// finishJournal does what the journal asks for.
func finishJournal(j *Journal, memory *os.File) error {
	u := j.read()
	if u.state == NoWork {
		return nil
	}
	tracer, err := ptrace.Start()
	if err != nil {
		return err
	}
	defer tracer.Close()
	return tracer.Do(context.Background(), func() error { return u.finish(tracer, memory) })
}

// finish stops the wards where they are parked, writes, and lets them go.
func (u *unfinished) finish(tracer *ptrace.Tracer, memory *os.File) error {
	var errs error
	if u.state == WorkMemory {
		for _, piece := range u.writes {
			errs = errors.Join(errs, piece.write(memory, 0))
		}
		return errs
	}
	deadline := time.Now().Add(timeout)
	for _, w := range u.wards {
		w.abandon = deadline.Add(-timeout / 2)
		errs = errors.Join(errs, u.catch(tracer, w, deadline))
	}
	if u.state == WorkAll || u.state == WorkCall && u.wards[0].inside {
		for _, piece := range u.writes {
			errs = errors.Join(errs, piece.write(memory, u.wards[0].tid))
		}
	}
	for _, w := range u.wards {
		if w.inside {
			errs = errors.Join(errs, w.restore(tracer))
		}
	}
	return errs
}

// write writes a piece. The memory that the guard was given is that of the
// process; a child's is opened.
func (x pieceOf) write(memory *os.File, tid int) error {
	if x.pid == tid {
		if f, err := os.OpenFile("/proc/"+strconv.Itoa(x.pid)+"/mem", os.O_RDWR, 0); err == nil {
			defer func() { _ = f.Close() }()
			memory = f
		}
	}
	_, err := memory.WriteAt(x.data, int64(x.address))
	return err
}

// restore gives a ward what it is to have, and lets it go.
func (w *ward) restore(tracer *ptrace.Tracer) error {
	var errs error
	if w.vector != nil {
		errs = tracer.SetXState(w.tid, w.vector)
	}
	errs = errors.Join(errs, tracer.SetRegs(w.tid, &w.regs))
	if w.mask != nil {
		errs = errors.Join(errs, tracer.SetSigMask(w.tid, *w.mask))
	}
	return errors.Join(errs, tracer.Detach(w.tid, 0))
}

// retryAfter is the pause of the guard before it tries again a thread that its
// debugger still traces, or that is not parked yet.
const retryAfter = 200 * time.Microsecond

// functionAfter is that pause for a thread that executes a function, which each try
// interrupts.
const functionAfter = 20 * time.Millisecond

func (u *unfinished) pause() time.Duration {
	if u.state == WorkFunction {
		return functionAfter
	}
	return retryAfter
}

// catch stops a ward where it is parked. One that is not in the rescue code, and
// needs not come there, is let go.
func (u *unfinished) catch(tracer *ptrace.Tracer, w *ward, deadline time.Time) error {
	for ; time.Now().Before(deadline); time.Sleep(u.pause()) {
		err := tracer.Seize(w.tid, 0)
		if errors.Is(err, unix.EPERM) {
			continue // the debugger is not quite gone
		}
		if errors.Is(err, ptrace.ErrGone) {
			return nil
		}
		if err != nil {
			return err
		}
		done, err := u.look(tracer, w)
		if done || err != nil {
			return err
		}
	}
	return errors.New("a thread does not come to where it should wait")
}

// look stops a ward and reports whether it need not be looked at again. If it is
// parked it stays stopped, and else it goes on, untraced.
func (u *unfinished) look(tracer *ptrace.Tracer, w *ward) (bool, error) {
	if err := tracer.Interrupt(w.tid); err != nil {
		return true, ignoreGone(err)
	}
	signal, err := awaitWard(tracer, w.tid)
	if err != nil {
		return true, ignoreGone(err)
	}
	var regs ptrace.Regs
	if err := tracer.Regs(w.tid, &regs); err != nil {
		return true, ignoreGone(err)
	}
	offset := regs.RIP - u.rescue
	w.inside = signal == 0 && offset == RescueParked && regs.OrigRAX == unix.SYS_PAUSE ||
		u.state == WorkFunction && signal == 0 && time.Now().After(w.abandon)
	if w.inside {
		return true, nil
	}
	away := offset > RescueSize && u.state != WorkAll && u.state != WorkFunction
	if away && u.state == WorkCall {
		u.unblock(tracer, w)
	}
	return away, ignoreGone(tracer.Detach(w.tid, signal))
}

// unblock gives a ward its signal mask if it has the one of a call of ours, which
// blocks everything.
func (u *unfinished) unblock(tracer *ptrace.Tracer, w *ward) {
	const always = 1<<(unix.SIGKILL-1) | 1<<(unix.SIGSTOP-1) // cannot be blocked
	if mask, err := tracer.SigMask(w.tid); err == nil && mask|always == ^uint64(0) && w.mask != nil {
		_ = tracer.SetSigMask(w.tid, *w.mask)
	}
}

// awaitWard waits for a stop, and returns the signal that it is about.
func awaitWard(tracer *ptrace.Tracer, tid int) (syscall.Signal, error) {
	for {
		e, err := tracer.Wait()
		switch {
		case err != nil:
			return 0, err
		case e.Thread != tid:
			continue
		case e.Gone():
			return 0, ptrace.ErrGone
		case e.Kind == ptrace.SignalStop:
			return e.Signal, nil
		}
		return 0, nil
	}
}

func ignoreGone(err error) error {
	if errors.Is(err, ptrace.ErrGone) || errors.Is(err, ptrace.ErrNoThreads) {
		return nil
	}
	return err
}
