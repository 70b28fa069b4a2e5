package replay

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// replayed is the process of a Player as a target of package history, which steps it.
// Memory is read from any goroutine, all else on the tracer's thread.
type replayed struct {
	player   *Player
	names    procfs.Maps     // of mappings without a file
	position func() uint64   // of the next step
	ctx      context.Context //nolint:containedctx // ends with the target
}

// errReplayed is returned for what would change a recorded program.
var errReplayed = errors.New("a recording cannot be changed")

func (t *replayed) ReadMemory(addr uint64, b []byte) (int, error) {
	return t.player.Memory().Read(addr, b)
}

func (t *replayed) Regs(id int) (ptrace.Regs, error) {
	if other, ok := t.player.threads[id]; ok {
		return other.regs, nil
	}
	return t.player.Regs(), nil
}

func (t *replayed) XState(id int, _ []byte) (state []byte, err error) {
	if other, ok := t.player.threads[id]; ok {
		return other.vector, nil
	}
	read := func() error {
		state, err = VectorState(t.player.tracer, t.player.run.Thread())
		return err
	}
	if t.player.tracer.Inside() {
		return state, read()
	}
	err = t.player.tracer.Do(context.Background(), read)
	return state, err
}

func (t *replayed) WriteMemory(uint64, []byte) (int, error) { return 0, errReplayed }

func (t *replayed) SetRegs(int, ptrace.Regs) error { return errReplayed }

func (t *replayed) SetXState(int, []byte) error { return errReplayed }

// Maps returns the mappings of the recorded program.
func (t *replayed) Maps() (procfs.Maps, error) {
	all, err := procfs.ReadMaps(t.player.run.Thread())
	maps := make(procfs.Maps, 0, len(all))
	for _, m := range all {
		if strings.HasPrefix(m.Path, "[v") || strings.HasPrefix(m.Path, "/memfd: ") { // the kernel's, and package inplace's
			continue
		}
		if named, ok := t.nameOf(m); ok && m.Path == "" {
			m.Path = named
		}
		m.Path = pathOf(t.player.recording, m.Path)
		maps = append(maps, m)
	}
	return maps, err
}

// nameOf returns the last name that memory had.
func (t *replayed) nameOf(m procfs.Map) (name string, ok bool) {
	for _, n := range t.names {
		if n.Start <= m.Start && m.Start < n.End {
			name, ok = n.Path, true
		}
	}
	return name, ok
}

func (t *replayed) Threads() ([]proc.ThreadInfo, error) {
	var list []proc.ThreadInfo
	for _, id := range t.player.Threads() {
		list = append(list, proc.ThreadInfo{ID: id, Current: id == t.player.thread})
	}
	return list, nil
}

func (t *replayed) CurrentThread() (int, error) { return t.player.thread, nil }

func (t *replayed) Rseq(int) (start, end uint64, err error) { return 0, 0, nil }

func (t *replayed) Inject(int, uint64, ...uint64) (uint64, error) { return 0, errReplayed }

func (t *replayed) Resume(context.Context) (proc.Stop, error) { return proc.Stop{}, errReplayed }

func (t *replayed) Step(_ context.Context, _ int, f func(history.Stepper) error) error {
	return f(&replayStepper{t})
}

// A replayStepper steps the current thread. It never blocks.
type replayStepper struct{ *replayed }

// next returns the next event if the next step is that event.
func (s *replayStepper) next() (recfile.Event, bool) {
	e := s.player.recording.Event(s.player.event)
	return e, e.Position == s.position()
}

// Input implements history.InputStepper.
func (s *replayStepper) Input() (history.Input, bool) {
	e, ok := s.next()
	if !ok {
		return history.Input{}, false
	}
	in := history.Input{
		Number: e.Number, Vector: e.Vector != nil || e.Kind == recfile.Exit, Maps: e.Remap.Kind != recfile.NoRemap, Ends: e.Positions() == 0,
		Threads: len(e.Threads) > 0, Switches: e.Kind == recfile.Switch,
	}
	in.Kind, in.Writes = kindOf(&e), s.filled(spansOf(&e))
	return in, true
}

// large is the size from which on only the pages of a range are saved that are in memory, as of a
// buffer of gigabytes of which a program uses little. What else was there reads as zeros, or as its
// file, while it is mapped.
const large = 64 << 20

// filled returns spans without the pages of large ones that the process has never used. All of them
// are returned if the pages cannot be told.
func (s *replayStepper) filled(spans []x86.Span) []x86.Span {
	isLarge := func(s x86.Span) bool { return s.Len >= large }
	if !slices.ContainsFunc(spans, isLarge) {
		return spans
	}
	var found []x86.Span
	for _, span := range spans {
		if !isLarge(span) {
			found = append(found, span)
			continue
		}
		used, err := s.usedPages(span)
		if err != nil {
			return spans
		}
		found = append(found, used...)
	}
	return found
}

// usedPages returns the pages of a span that are in memory.
func (s *replayStepper) usedPages(span x86.Span) (used []x86.Span, err error) {
	maps, err := procfs.ReadMaps(s.player.run.Thread())
	if err != nil {
		return nil, err
	}
	pages, err := ptrace.OpenPageMap(s.player.Memory().PID())
	if err != nil {
		return nil, err
	}
	defer func() { _ = pages.Close() }()
	end := span.Addr + span.Len
	for _, m := range maps {
		if m.End <= span.Addr || end <= m.Start {
			continue
		}
		found, err := pages.Present(s.ctx, ptrace.Range{Start: m.Start, End: m.End})
		if err != nil {
			return nil, err
		}
		for _, page := range found {
			if from, to := max(page.Start, span.Addr), min(page.End, end); from < to {
				used = append(used, x86.Span{Addr: from, Len: to - from})
			}
		}
	}
	return used, nil
}

// Step takes the next event, or executes an instruction.
func (s *replayStepper) Step() (proc.Outcome, error) {
	p := s.player
	if e, ok := s.next(); ok {
		if in, err := NextInstruction(p.run); e.Kind == recfile.Call && !e.Immediate && (err != nil || !in.Class.Is(x86.Syscall)) {
			return 0, p.diverged("system call %d at %#x, where there is none", e.Number, p.run.Regs.RIP)
		}
		if e.Kind == recfile.Exit {
			return proc.StepGone, p.take(&e)
		}
		return proc.StepDone, p.take(&e)
	}
	p.noteRunning()
	stop, err := p.run.Run(s.ctx, 1)
	if err == nil {
		err = p.handleStop(s.ctx, stop, p.Position())
	}
	return proc.StepDone, err
}

// Pending reports that the next step is an event, so that it is not interpreted.
func (s *replayStepper) Pending(int) bool {
	_, ok := s.next()
	return ok
}

// Commit brings the process where the interpreter is.
func (s *replayStepper) Commit(memory []proc.Patch, vector []byte, regs ptrace.Regs) error {
	for _, patch := range memory {
		if err := s.player.run.Write(patch.Address, patch.Data); err != nil {
			return err
		}
	}
	s.player.run.Replace(regs)
	if vector == nil {
		return nil
	}
	return s.player.tracer.SetXState(s.player.run.Thread(), vector)
}

// Thread returns the current thread, or the one that is it after the next step.
func (s *replayStepper) Thread() int {
	if e, ok := s.next(); ok && e.Kind == recfile.Switch {
		return int(e.Number)
	}
	return s.player.thread
}

func (s *replayStepper) Switch(int) error { return nil }

func (s *replayStepper) Regs() (*ptrace.Regs, error) {
	if other, ok := s.player.threads[s.Thread()]; ok {
		return &other.regs, nil
	}
	return &s.player.run.Regs, nil
}

func (s *replayStepper) SetRegs(ptrace.Regs) error { return errReplayed }

func (s *replayStepper) Signal() syscall.Signal { return 0 }

func (s *replayStepper) Action() proc.Action { return proc.Pass }

func (s *replayStepper) DeferSignal() {}

func (s *replayStepper) SignalStop() proc.Stop { return proc.Stop{} }

func (s *replayStepper) Paused() bool { return false }

func (s *replayStepper) SetSyscallTimeout(time.Duration) {}

func (s *replayStepper) Waiting(int) bool { return false }

func (s *replayStepper) Poll() (bool, error) { return false, nil }

func (s *replayStepper) Await(time.Duration) error { return nil }

func (s *replayStepper) DropFault() {}
