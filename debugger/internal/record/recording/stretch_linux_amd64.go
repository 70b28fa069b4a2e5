package recording

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// stretch is the state of a Stretch while it is recorded. A nil stretch has no limits and
// stops nowhere.
type stretch struct {
	Stretch
	code     map[uint64]bool
	reported map[int]syscall.Signal // that of the loan
	passes   map[int]bool           // threads that do not stop where they begin
	action   func(ptrace.SigInfo) proc.Action
	store    *recfile.Store

	thread  int    // the last place that was looked at
	looked  uint64 // its position, plus one
	maps    procfs.Maps
	mapsFor int64 // number of events for which maps are right, plus one
}

// A stretchEnd is the error that ends a stretch.
type stretchEnd struct{ StretchEnd }

func (e *stretchEnd) Error() string { return "the stretch has ended" }

// left returns how many instructions may be executed from a position on.
func (s *stretch) left(position uint64) int64 {
	const most = 1 << 50
	if s == nil || s.Limit == 0 {
		return most
	}
	return int64(min(most, s.Limit-min(s.Limit, position)))
}

// signal decides about a signal of the current thread: it ends the stretch, is dropped, or is
// delivered.
func (s *stretch) signal(r *recorder, info ptrace.SigInfo) (dropped bool, err error) {
	if s == nil {
		return false, nil
	}
	tid := r.run.Thread()
	if s.reported[tid] == info.Signal() {
		delete(s.reported, tid)
		return false, nil
	}
	switch s.action(info) {
	case proc.StopAndPass, proc.StopAndDrop:
		return false, &stretchEnd{StretchEnd{Why: EndSignal, Thread: tid, Signal: info}}
	case proc.Drop:
		return true, nil
	}
	return false, nil
}

// look ends the stretch if the process stops before the next instruction.
func (s *stretch) look(r *recorder) error {
	at, tid := r.log.position(), r.run.Thread()
	if s.Limit != 0 && at >= s.Limit {
		return &stretchEnd{StretchEnd{Why: EndLimit}}
	}
	if err := s.room(r.log.out); err != nil {
		return err
	}
	if s.Shown != nil {
		s.Shown(at)
	}
	if !s.code[r.run.Regs.RIP] {
		delete(s.passes, tid)
	}
	if r.log.current.waiting || !s.code[r.run.Regs.RIP] || s.looked == at+1 && s.thread == tid {
		return nil
	}
	s.looked, s.thread = at+1, tid
	if s.passes[tid] {
		delete(s.passes, tid)
		return nil
	}
	v, err := s.view(r)
	if err != nil || !s.Stops(v) {
		return err
	}
	return &stretchEnd{StretchEnd{Why: EndPlace}}
}

// view returns a view of the process where it is.
func (s *stretch) view(r *recorder) (*history.View, error) {
	if s.mapsFor != r.log.out.Events()+1 {
		maps, err := procfs.ReadMaps(r.run.Thread())
		if err != nil {
			return nil, err
		}
		s.maps, s.mapsFor = maps, r.log.out.Events()+1
	}
	return history.NewView(stretched{r}, r.log.position(), r.run.Threads(), r.run.Thread(), s.maps)
}

// stretched reads a process that is recorded.
type stretched struct{ r *recorder }

func (s stretched) ReadMemory(addr uint64, b []byte) (int, error) {
	return s.r.run.Memory().Read(addr, b)
}

func (s stretched) Regs(tid int) (ptrace.Regs, error) {
	regs, ok := s.r.run.RegsOf(tid)
	if !ok {
		return regs, proc.ErrNoThread
	}
	if t := s.r.log.threads[tid]; t != nil && tid != s.r.run.Thread() {
		regs = t.regs // as a replay has them
	}
	return regs, nil
}

func (s stretched) XState(tid int, _ []byte) ([]byte, error) {
	return replay.VectorState(s.r.tracer, tid)
}

// record records a process that a debugger has lent, from a position on. An error says that
// nothing was recorded, and why; the process is as it was.
func (s *stretch) record(ctx context.Context, l *proc.Loan, first uint64) (*Part, StretchEnd, error) {
	out, err := recfile.NewFrameWriter(s.store)
	if err != nil {
		return nil, StretchEnd{}, err
	}
	r := newRecorder(out, nil, newScheduler(rand.Uint64()))
	r.tracer, r.pid, r.stretch, r.stoppable = l.Tracer, l.PID, s, true
	r.log.base, r.log.recorded = first, first
	i, err := intrudeLoan(l)
	if err != nil {
		return nil, StretchEnd{}, err
	}
	i.pin()
	defer func() { _ = l.Tracer.Unpin() }() // the session goes on with it
	event, err := r.adopt(ctx, i, l)
	if err != nil {
		return nil, StretchEnd{}, errors.Join(err, i.undo(l.Threads))
	}
	r.bufferLent(l)
	if err = errors.Join(r.addFirst(&event), out.Flush()); err == nil {
		err = s.checkImage(out)
	}
	if err != nil {
		return nil, StretchEnd{}, errors.Join(err, r.giveBackToDebugger(l, StretchEnd{}), r.closeRun())
	}
	part := &Part{first: first, store: s.store, index: out.Index()}
	return part, r.fill(ctx, l, part), nil
}

// fill records the stretch into a part.
func (r *recorder) fill(ctx context.Context, l *proc.Loan, part *Part) StretchEnd {
	r.begun(l)
	end, err := r.runStretch(ctx)
	kept := r.keep(end)
	if kept == nil {
		err = errors.Join(err, r.addEnd())
	} else {
		err = errors.Join(err, r.log.out.Flush())
	}
	if err = errors.Join(err, r.giveBackToDebugger(l, end)); err != nil {
		err = errors.Join(err, r.closeRun())
	} else {
		err = r.keepTranslation(l)
	}
	if err != nil {
		return StretchEnd{Why: EndLost, Text: err.Error()}
	}
	part.last, part.kept = r.log.recorded, kept
	if kept != nil {
		part.kept.err = kept.readRegs(l)
	}
	return end
}

// addEnd adds the last event.
func (r *recorder) addEnd() error {
	if r.gone {
		return r.log.out.Close()
	}
	last := recfile.Event{Kind: recfile.Cut, Position: r.log.recorded, Reason: "the debugger has stopped the process", Immediate: r.log.immediate()}
	return errors.Join(r.log.out.Add(&last), r.log.out.Close())
}

// begun prepares the first run.
func (r *recorder) begun(l *proc.Loan) {
	s := r.stretch
	s.passes[l.Current] = true
	r.turns.end = max(r.turns.end, r.log.position()+1) // it leaves the place where it does not stop
	r.run.Watch.StopAt(s.Code)
}

// runStretch records until the stretch ends.
func (r *recorder) runStretch(ctx context.Context) (end StretchEnd, err error) {
	for err == nil && !r.gone {
		if err = r.stretch.look(r); err == nil {
			err = r.next(ctx)
		}
	}
	if r.gone {
		return StretchEnd{Why: EndGone}, nil
	}
	end = r.endOf(err)
	if end.Thread == 0 {
		end.Thread = r.log.shown
	}
	if r.run != nil && r.log.position() != r.log.recorded {
		end = StretchEnd{Why: EndLost, Thread: end.Thread, Text: err.Error()}
	}
	return end, nil
}

// endOf returns the end of a stretch that an error has ended.
func (r *recorder) endOf(err error) StretchEnd {
	if e, ok := errors.AsType[*stretchEnd](err); ok {
		return e.StretchEnd
	}
	if errors.Is(err, errStopped) {
		return StretchEnd{Why: EndPaused}
	}
	return StretchEnd{Why: EndCut, Text: err.Error()}
}

// giveBackToDebugger leaves the process as it was lent, in its own code.
func (r *recorder) giveBackToDebugger(l *proc.Loan, end StretchEnd) error {
	if r.gone || r.run == nil || errors.Is(r.result.Err, ptrace.ErrNoThreads) {
		return r.giveBack(l)
	}
	threads := r.run.Threads()
	var err error
	for _, tid := range slices.Backward(threads) {
		err = errors.Join(err, r.parkThread(l, tid, end))
	}
	if l.Current = end.Thread; !slices.Contains(threads, l.Current) {
		l.Current = threads[0]
	}
	if end.Why == EndSignal {
		l.Reported[end.Thread] = end.Signal.Signal()
	}
	err = errors.Join(err, r.run.Switch(threads[0]), r.run.Unmap(), r.live.undo(threads))
	if errors.Is(err, ptrace.ErrGone) && l.Ended == nil {
		return r.awaitGone(l)
	}
	return err
}

// parkThread moves a thread to an event stop in its own code. A signal that it was to get is sent
// again, unless the debugger drops it.
func (r *recorder) parkThread(l *proc.Loan, tid int, end StretchEnd) error {
	info, err := r.haltThread(tid)
	if err != nil || info == nil {
		return err
	}
	if end.Why != EndSignal || tid != end.Thread || l.Action(info.Signal()) != proc.StopAndDrop {
		l.Again[tid] = *info
	}
	return r.run.LeaveSignal()
}

// watchPause ends a context when the debugger pauses the process.
func watchPause(ctx context.Context, l *proc.Loan) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-l.Pause:
			cancel()
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		<-ended
		cancel()
	}
}

// newStretch returns the state of a stretch that begins.
func newStretch(limits Stretch) *stretch {
	s := new(stretch)
	s.begin(limits)
	return s
}

// begin begins another stretch of the same recording.
func (s *stretch) begin(limits Stretch) {
	s.Stretch, s.looked, s.maps, s.mapsFor = limits, 0, nil, 0
	s.code, s.passes = make(map[uint64]bool), make(map[int]bool)
	for _, pc := range limits.Code {
		s.code[pc] = true
	}
}
