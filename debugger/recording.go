package debugger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

type continueArgs struct {
	Record   bool   `json:"record,omitempty" doc:"Record every instruction of all threads, some thousand times slower than the process runs by itself, or some ten"`
	MaxSteps int    `json:"max_steps,omitempty" min:"1" max:"1000000000000" doc:"With record: stop after so many instructions"`
	MaxMS    int    `json:"max_ms,omitempty" min:"1" max:"86400000" doc:"With record: stop after so many milliseconds"`
	From     string `json:"from,omitempty" enum:"past" doc:"past: make the process what is looked at and let it go on from there. What it has done since is dropped; files, other processes and all that it has sent stay as they are"`
	waitArg
	sessionArg
}

// Validate checks what the schema does not say.
func (a continueArgs) Validate() error {
	if !a.Record && (a.MaxSteps != 0 || a.MaxMS != 0) {
		return errors.New("max_steps and max_ms need record")
	}
	return nil
}

// way is how the process goes on by the arguments, or why it cannot.
func (t *controlGroup) way(s *session, args continueArgs) (func(context.Context) (proc.Stop, error), error) {
	way := s.onward
	if args.Record {
		if err := s.alive(); err != nil {
			return nil, err
		}
		way = func(ctx context.Context) (proc.Stop, error) {
			return s.recordAll(ctx, uint64(args.MaxSteps), time.Duration(args.MaxMS)*time.Millisecond)
		}
	}
	if args.From == "" {
		return way, nil
	}
	switch err := s.alive(); {
	case err != nil:
		return nil, err
	case t.noWrite:
		return nil, &refusedError{"the server was started with --no-write"}
	case !s.inPast():
		return nil, failed("Not in the past", "the present is looked at; debugger/step_backward, seek, reverse_continue and last_write go to the past")
	}
	return func(ctx context.Context) (proc.Stop, error) {
		if err := s.onFromPast(ctx); err != nil {
			return proc.Stop{}, err
		}
		return way(ctx)
	}, nil
}

// One thread at a time is recorded; each in its turn, so that none waits for
// ever for what another one does. One that waits in the kernel is only asked
// whether it still does.
const (
	sliceSteps = 1 << 19
	aloneSteps = 1 << 22
)

// recordAll records what all threads do until something stops them. In the past
// it goes to the next breakpoint or to the present, like any continue. It ends
// after so many steps and so long; 0 means that there is no limit.
func (s *stepper) recordAll(ctx context.Context, left uint64, most time.Duration) (proc.Stop, error) {
	if s.inPast() {
		return s.onward(ctx)
	}
	if _, err := s.record(); err != nil {
		return proc.Stop{}, err
	}
	defer s.recorded.Store(0)
	first := s.past.End()
	if left == 0 {
		left = math.MaxUint64
	}
	deadline := time.Now().Add(most)
	for {
		limits := history.Limits{Steps: min(left, s.slice())}
		if most != 0 {
			limits.Time = max(time.Until(deadline), time.Nanosecond)
		}
		from, notes := s.past.End(), len(s.notes)
		stop, err := s.live(ctx, limits)
		if err != nil || stop.Why != proc.Stepped {
			return stop, err
		}
		s.notes = s.notes[:notes] // threads that end are no news here
		s.recorded.Store(int64(s.past.End() - first))
		if left -= min(left, s.past.End()-from); left == 0 {
			stop.Why = atLimit
			return stop, nil
		}
		s.nextThread()
	}
}

// slice is how many steps the current thread may make before it is another
// one's turn.
func (s *stepper) slice() uint64 {
	infos, err := s.process.Threads()
	switch regs, regsErr := s.process.Regs(0); {
	case err != nil || len(infos) < 2:
		return aloneSteps
	case regsErr == nil && regs.InSyscall() && int64(regs.RAX) <= -512 && int64(regs.RAX) >= -516: // it begins again
		return 1
	}
	return sliceSteps
}

// nextThread makes the thread with the next id the current one.
func (s *stepper) nextThread() {
	infos, err := s.process.Threads()
	if err != nil || len(infos) < 2 {
		return
	}
	current, _ := s.process.CurrentThread()
	next := infos[0].ID
	for _, info := range infos {
		if info.ID > current {
			next = info.ID
			break
		}
	}
	_ = s.process.SetCurrentThread(next) // one that has ended meanwhile is told by its step
}

// onFromPast makes the process what is looked at, and says what is not taken
// back.
func (s *stepper) onFromPast(ctx context.Context) error {
	h := s.past
	from, end := h.View().Position(), h.End()
	deeds, err := h.Since(ctx)
	if err != nil {
		return err
	}
	if err := s.recorder.Rewind(ctx); err != nil {
		return err
	}
	s.arrive()
	s.notes = append(s.notes, fmt.Sprintf("the process went on from position %d; what was recorded after it, to %d, is dropped", from, end))
	if len(deeds) > 0 {
		s.notes = append(s.notes, "not taken back: "+listDeeds(deeds))
	}
	return nil
}

// maxDeeds is how many kinds of deeds an answer names.
const maxDeeds = 20

func listDeeds(deeds []history.Deed) string {
	var parts []string
	for i, d := range deeds {
		if i == maxDeeds {
			parts = append(parts, "and more")
			break
		}
		what := d.What
		switch what {
		case history.Ran.String():
			what = "what it did while it ran by itself"
		case history.Signalled.String():
			what = "a signal"
		}
		if d.Count > 1 {
			what += fmt.Sprintf(" (%d times)", d.Count)
		}
		parts = append(parts, what)
	}
	return strings.Join(parts, ", ")
}
