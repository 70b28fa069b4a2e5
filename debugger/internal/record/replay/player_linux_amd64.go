package replay

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A Player replays a recording: a process executes the instructions of the recorded
// program, and gets its inputs from the recording. It makes no system calls of the
// program. All methods must be called on the tracer's thread.
type Player struct {
	recording *recfile.Recording
	tracer    *ptrace.Tracer
	files     *sources
	run       *inplace.Runner
	base      uint64 // positions before what the Runner has counted
	event     int    // number of the next event

	replaying *atomic.Int64 // id of the process that executes instructions last, or nil

	thread  int           // id of the current thread
	threads map[int]state // of the other threads
}

// A state is the state of a thread. It is not changed.
type state struct {
	regs   ptrace.Regs
	vector []byte
}

// NewPlayer returns a Player at the first position.
func NewPlayer(tracer *ptrace.Tracer, r *recfile.Recording) (*Player, error) {
	p := &Player{recording: r, tracer: tracer, base: r.Event(0).Position, files: newSources(r)}
	if err := errors.Join(Pin(tracer), p.apply()); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close ends the process.
func (p *Player) Close() error { return errors.Join(p.EndProcess(), p.files.close()) }

// EndProcess ends the process, and leaves the files open for other Players.
func (p *Player) EndProcess() error {
	if p.run == nil {
		return nil
	}
	r := p.run
	p.run = nil
	if r.Gone() {
		return r.Close()
	}
	return errors.Join(end(r.Thread()), r.Close())
}

// Position returns the current position.
func (p *Player) Position() uint64 {
	if p.run == nil {
		return p.base
	}
	return p.base + uint64(p.run.Executed())
}

// Runner returns the Runner of the process, until an exec.
func (p *Player) Runner() *inplace.Runner { return p.run }

// Report makes the Player store the id of the process that executes instructions.
func (p *Player) Report(process *atomic.Int64) { p.replaying = process }

// Regs returns the registers at the current position.
func (p *Player) Regs() ptrace.Regs { return p.run.Regs }

// Memory returns the memory at the current position.
func (p *Player) Memory() *ptrace.Memory { return p.run.Memory() }

// RunTo replays up to a position, which is not before the current one. If ctx is done,
// it stops earlier, with the error of ctx.
func (p *Player) RunTo(ctx context.Context, position uint64) error {
	if position > p.recording.End() {
		return fmt.Errorf("position %d is beyond the end of the recording, %d", position, p.recording.End())
	}
	for {
		e := p.recording.Event(p.event)
		if err := p.runBefore(ctx, &e, min(position, e.Position)); err != nil {
			return err
		}
		if p.Position() == position {
			return nil
		}
		if err := p.apply(); err != nil {
			return err
		}
	}
}

// Finish replays the rest and checks it.
func (p *Player) Finish(ctx context.Context) error {
	if err := p.RunTo(ctx, p.recording.End()); err != nil {
		return err
	}
	for p.event < p.recording.Len() { // several may be at the last position
		e := p.recording.Event(p.event)
		if err := p.check(&e); err != nil {
			return err
		}
		p.event++
	}
	return nil
}

// runBefore executes instructions up to a position before the next event.
func (p *Player) runBefore(ctx context.Context, next *recfile.Event, position uint64) error {
	for p.Position() < position {
		if err := p.runOnce(ctx, next, position); err != nil {
			return err
		}
	}
	return nil
}

// noteRunning notes that the process is going to execute instructions. An exec gives a
// Player another process.
func (p *Player) noteRunning() {
	if p.replaying != nil {
		p.replaying.Store(int64(p.run.Thread()))
	}
}

// runOnce executes instructions up to a position before the next event, or to a stop.
func (p *Player) runOnce(ctx context.Context, next *recfile.Event, position uint64) error {
	if next.Immediate {
		return p.diverged("%d instructions where there is none", position-p.Position())
	}
	p.noteRunning()
	n := int64(position - p.Position())
	if position == next.Position && stops(next) {
		n += beyondStop
	}
	stop, err := p.run.Run(ctx, n)
	switch {
	case err != nil:
		return p.diverged("%v", err)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case p.Position() > position:
		return p.diverged("no input, which is recorded %d positions before", p.Position()-position)
	case p.Position() == position && (stop.Kind == inplace.Call || stop.Kind == inplace.Native):
		return nil
	}
	return p.handleStop(ctx, stop, position)
}

// beyondStop is the number of instructions that may be executed beyond an event at which the
// program stops by itself. A stop at a certain number takes longer.
const beyondStop = 1 << 12

// stops reports whether the program stops by itself before the event.
func stops(e *recfile.Event) bool { return e.Kind == recfile.Call || e.Kind == recfile.Native }

// handleStop handles a stop before the next event.
func (p *Player) handleStop(ctx context.Context, stop inplace.Stop, position uint64) error {
	switch stop.Kind {
	case inplace.Done, inplace.Reached, 0: // 0: the process was only interrupted
		return nil
	case inplace.Native:
		in, err := NextInstruction(p.run)
		if err != nil || !Deterministic(&in) {
			return p.diverged("the instruction %s at %#x", in.Name(), p.run.Regs.RIP)
		}
		if stop, err = p.run.Step(ctx); err != nil {
			return err
		}
		if stop.Kind == inplace.Native {
			return p.diverged("the instruction %s at %#x leads into the code cache", in.Name(), p.run.Regs.RIP)
		}
		return p.handleStop(ctx, stop, position)
	case inplace.Signal:
		info := p.run.SigInfo()
		if info.Signal() == unix.SIGXCPU {
			return errProcessorTime
		}
		if !info.Sent() {
			return p.diverged("%v at %#x, %d positions before the next input", info.Signal(), p.run.Regs.RIP, position-p.Position())
		}
		return nil // another process has sent it: it is not the recorded program's
	case inplace.Call:
		return p.diverged("system call %d at %#x, %d positions before the next input", p.run.Regs.RAX, p.run.Regs.RIP, position-p.Position())
	}
	return p.diverged("the process has ended")
}

func (p *Player) diverged(format string, args ...any) error {
	return &DivergenceError{p.Position(), fmt.Sprintf(format, args...)}
}

// check compares the registers before an event with those of the recorded run.
func (p *Player) check(e *recfile.Event) error {
	if e.Immediate || e.Hash == 0 || p.run == nil {
		return nil
	}
	if regs := p.run.Regs; recfile.HashRegisters(&regs) != e.Hash {
		return p.diverged("the registers are others")
	}
	return nil
}

// apply does what the next event says, and goes to the position after it.
func (p *Player) apply() error {
	e := p.recording.Event(p.event)
	if err := p.check(&e); err != nil {
		return err
	}
	if e.Kind == recfile.Image {
		return p.applyImage(&e)
	}
	return p.take(&e)
}

// take does what the next event says, which is no Image.
func (p *Player) take(e *recfile.Event) error {
	switch {
	case e.Positions() == 0:
		return p.diverged("nothing is recorded after this position")
	case e.Kind == recfile.Switch:
		return p.switchTo(int(e.Number))
	case e.Kind == recfile.Exit && p.ended():
		return p.diverged("a thread ends twice")
	}
	if err := p.remap(e); err != nil {
		return fmt.Errorf("position %d: %w", e.Position, err)
	}
	for _, w := range e.Writes {
		if err := p.run.Write(w.Address, w.Data); err != nil {
			return p.diverged("%v", err)
		}
	}
	after := p.run.Regs
	recfile.SetRegisters(&after, e.Registers)
	p.run.Emulate(after)
	p.event++
	if e.Kind == recfile.Exit {
		p.thread = -p.thread
	}
	if e.Vector != nil {
		return setVectorState(p.tracer, p.run.Thread(), e.Vector)
	}
	return p.addThreads(e)
}

// applyImage begins a program.
func (p *Player) applyImage(e *recfile.Event) error {
	at := p.Position()
	if err := p.EndProcess(); err != nil {
		return err
	}
	r, err := restore(p.tracer, e, p.files)
	if err != nil {
		return err
	}
	p.run, p.base = r, at+e.Positions()
	r.ClearDeadFlags() // as the recorder does before it compares registers
	p.event++
	p.thread, p.threads = max(1, e.Status&(1<<31-1)), make(map[int]state)
	if e.Current != 0 {
		p.thread = e.Current
	}
	return p.addThreads(e)
}

// remap changes mappings as a system call of the program did.
func (p *Player) remap(e *recfile.Event) error {
	m := &e.Remap.Mapping
	if e.Remap.Kind == recfile.NoRemap {
		return nil
	}
	if p.run.Reserved(m.Start, m.Length) || e.Remap.Kind == recfile.Move && p.run.Reserved(e.Remap.To, e.Remap.ToLen) {
		return p.diverged("the mapping at %#x is not the program's", m.Start)
	}
	switch e.Remap.Kind {
	case recfile.Map:
		fixed := uint64(unix.MAP_FIXED_NOREPLACE)
		if p.replaces(e) {
			fixed = unix.MAP_FIXED
		}
		if err := p.files.mapInto(p.run.Thread(), p.run.Inject, p.run.Memory(), *m, fixed); err != nil {
			return fmt.Errorf("map %s at %#x again: %w", m.Name, m.Start, err)
		}
	case recfile.Move:
		if err := p.move(&e.Remap); err != nil {
			return err
		}
	default:
		change := changes[e.Remap.Kind]
		if _, err := p.run.Inject(change.call, m.Start, m.Length, change.argument(m)); err != nil {
			return fmt.Errorf("change the mapping at %#x again: %w", m.Start, err)
		}
	}
	p.run.Changed(m.Start, m.Length)
	return nil
}

// changes are the system calls for changes of a mapping, and their third arguments.
var changes = map[recfile.RemapKind]struct {
	call     uint64
	argument func(m *recfile.Mapping) uint64
}{
	recfile.Unmap:   {unix.SYS_MUNMAP, func(*recfile.Mapping) uint64 { return 0 }},
	recfile.Protect: {unix.SYS_MPROTECT, func(m *recfile.Mapping) uint64 { return uint64(m.Protection) }},
	recfile.Discard: {unix.SYS_MADVISE, func(*recfile.Mapping) uint64 { return unix.MADV_DONTNEED }},
}

// replaces reports whether a new mapping may replace others: the program said where it
// is to be.
func (p *Player) replaces(e *recfile.Event) bool {
	return e.Number == unix.SYS_MMAP && p.run.Regs.R10&unix.MAP_FIXED != 0
}

func (p *Player) move(r *recfile.Remap) error {
	m := &r.Mapping
	flags, to := uint64(unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED), r.To
	if r.To == m.Start {
		flags, to = 0, 0
	}
	at, err := p.run.Inject(unix.SYS_MREMAP, m.Start, m.Length, r.ToLen, flags, to)
	if err == nil && at != r.To {
		err = fmt.Errorf("it is at %#x", at)
	}
	if err != nil {
		return fmt.Errorf("move the mapping at %#x again: %w", m.Start, err)
	}
	p.run.Changed(r.To, r.ToLen)
	return nil
}
