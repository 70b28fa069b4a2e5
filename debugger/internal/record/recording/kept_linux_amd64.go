package recording

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A kept is a recorder between two stretches of a recording, while the debugger has the
// process.
type kept struct {
	r     *recorder
	areas []recfile.Write     // rseq areas as they were when they were removed
	regs  map[int]ptrace.Regs // of all threads, as the debugger got them
	err   error               // why they are not known
}

// keep returns what the recording needs to go on after the end of a stretch, or nil if another
// recording must begin: a thread is inside a system call, or the recording is over.
func (r *recorder) keep(end StretchEnd) *kept {
	switch end.Why {
	case EndPlace, EndSignal, EndPaused, EndLimit:
	default:
		return nil
	}
	if r.gone || r.run == nil || r.log.threads[r.log.shown] == nil || r.run.Thread() != r.log.shown {
		return nil
	}
	for _, tid := range r.run.Threads() {
		if t := r.log.threads[tid]; t == nil || t.call != nil || t.waiting || r.run.Waits(tid) {
			return nil
		}
	}
	k := &kept{r: r}
	for _, a := range r.live.areas {
		b := make([]byte, a.Size)
		if _, err := r.live.memory.Read(a.Address, b); err != nil {
			return nil
		}
		k.areas = append(k.areas, recfile.Write{Address: a.Address, Data: b})
	}
	r.log.current.regs = r.run.Regs
	return k
}

// readRegs reads the registers of all threads after the process was given back.
func (k *kept) readRegs(l *proc.Loan) (err error) {
	k.regs, err = registersOf(l.Tracer, slices.Collect(maps.Keys(k.r.log.threads)))
	r := k.r
	last := r.log.current.regs
	if last.OrigRAX = 0; err == nil && k.regs[r.log.shown] != last {
		err = errors.New("the thread has other registers than at the end of the recording")
	}
	r.use(nil)
	r.log.base, r.log.extra, r.live, r.result = r.log.recorded, 0, nil, Result{}
	return err
}

func registersOf(tracer *ptrace.Tracer, threads []int) (map[int]ptrace.Regs, error) {
	all := make(map[int]ptrace.Regs)
	for _, tid := range threads {
		var regs ptrace.Regs
		if err := tracer.Regs(tid, &regs); err != nil {
			return nil, err
		}
		regs.OrigRAX = 0 // a stop changes it
		all[tid] = regs
	}
	return all, nil
}

// same reports whether the threads are where they were.
func (k *kept) same(l *proc.Loan) bool {
	now, err := registersOf(l.Tracer, l.Threads)
	return err == nil && maps.Equal(now, k.regs)
}

// errMoved is returned for a process whose threads have other registers than at the end of a
// recording, or got them when the next one was prepared.
var errMoved = errors.New("its threads have other registers than at the end of the recording")

// record continues the recording. An error says that nothing was recorded, and why.
func (k *kept) record(ctx context.Context, l *proc.Loan, s *stretch, part *Part) (StretchEnd, error) {
	r := k.r
	if !k.same(l) {
		return StretchEnd{}, errMoved
	}
	i, err := intrudeLoan(l)
	if err != nil {
		return StretchEnd{}, err
	}
	if !k.same(l) {
		return StretchEnd{}, errors.Join(errMoved, i.undo(l.Threads))
	}
	i.pin()
	defer func() { _ = l.Tracer.Unpin() }() // the session goes on with it
	if err := k.adopt(i, l); err != nil {
		return StretchEnd{}, errors.Join(err, i.undo(l.Threads))
	}
	own := r.stretch
	own.begin(s.Stretch)
	own.action, own.reported, own.passes = s.action, s.reported, s.passes
	part.kept = nil
	return r.fill(ctx, l, part), nil
}

// adopt takes the process over again. The kernel may have written to the rseq areas.
func (k *kept) adopt(i *intrusion, l *proc.Loan) error {
	for _, w := range k.areas {
		if _, err := i.memory.Write(w.Address, w.Data); err != nil {
			return err
		}
	}
	r := k.r
	run, err := inplace.Adopt(r.tracer, i.pid, i.threads, i.inject, translationOf(l))
	if err != nil {
		return err
	}
	r.use(run)
	r.live, r.mappings.heap, r.log.current = i, i.brk, r.log.threads[i.pid]
	r.bufferLent(l)
	return r.log.switchTo(r.log.shown)
}

// translationOf takes what the last recording has translated, or nil, from a loan.
func translationOf(l *proc.Loan) *inplace.Translation {
	t, _ := l.Kept.(*inplace.Translation)
	l.Kept = nil
	return t
}

// keepTranslation ends the Runner of a process that was given back, and keeps what it has
// translated for the next recording.
func (r *recorder) keepTranslation(l *proc.Loan) error {
	if r.gone || r.run == nil || l.Ended != nil {
		return r.closeRun()
	}
	t, err := r.run.Keep()
	l.Kept = t
	return err
}
