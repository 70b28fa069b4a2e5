package debugger

import (
	"context"
	"errors"
	"fmt"
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

// recordAll records the instructions of all threads until one of them stops. In
// the past it goes to the next breakpoint or to the present, as continue does. It
// ends after the given number of steps and time; 0 means no limit.
func (s *stepper) recordAll(ctx context.Context, steps uint64, most time.Duration) (proc.Stop, error) {
	if s.inPast() {
		return s.onward(ctx)
	}
	if _, err := s.record(); err != nil {
		return proc.Stop{}, err
	}
	defer s.recorded.Store(0)
	first := s.past.End()
	stop, err := s.live(ctx, history.Limits{
		Steps: steps, Time: most, AllThreads: true,
		Progress: func(v *history.View) { s.recorded.Store(int64(v.Position() - first)) },
	})
	if err == nil && stop.Why == proc.Stepped {
		if end, ended := s.process.End(); ended {
			return end, nil
		}
		stop.Why = atLimit
	}
	return stop, err
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
