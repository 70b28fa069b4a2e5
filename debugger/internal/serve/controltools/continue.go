package controltools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/mcp"
)

// continueArgs holds the arguments of continue.
type continueArgs struct {
	Record   bool   `json:"record,omitempty" doc:"Record every instruction; 1 to 5 times slower"`
	MaxSteps int    `json:"max_steps,omitempty" min:"1" max:"1000000000000" doc:"With record: most instructions" bounds:"enforced"`
	MaxMS    int    `json:"max_ms,omitempty" min:"1" max:"86400000" doc:"With record: most milliseconds" bounds:"enforced"`
	From     string `json:"from,omitempty" enum:"past" doc:"Resume from the past shown, drop what follows"`
	// Signals has what happens at signals from now on, by their names.
	Signals map[string]string `json:"signals,omitempty" doc:"SIGUSR1: stop, pass, drop or stop_drop"`
	followArg
	sessiontools.WaitArg
	sessiontools.SessionArg
}

// Validate checks rules that the schema cannot express.
func (a continueArgs) Validate() error {
	if !a.Record && (a.MaxSteps != 0 || a.MaxMS != 0) {
		return errors.New("max_steps and max_ms need record")
	}
	for name, action := range a.Signals {
		if _, ok := signalActions[action]; !ok || session.SignalNumber(name) == 0 {
			return fmt.Errorf("signals: want a name such as SIGUSR1 with stop, pass, drop or stop_drop, not %q with %q", name, action)
		}
	}
	return nil
}

// signalActions are the actions at a signal by their names: whether it stops the
// process, and whether it is delivered.
var signalActions = map[string]proc.Action{
	"stop": proc.StopAndPass, "pass": proc.Pass, "stop_drop": proc.StopAndDrop, "drop": proc.Drop,
}

// setSignals decides what happens at signals from now on.
func setSignals(s *session.Session, signals map[string]string) error {
	if len(signals) == 0 {
		return nil
	}
	if err := s.Target.RequireProcess(); err != nil {
		return err
	}
	for name, action := range signals {
		if err := s.SetSignal(session.SignalNumber(name), signalActions[action]); err != nil {
			return err
		}
	}
	return nil
}

// resumption returns the function that continues the process as the arguments
// request, or an error if that is not possible.
func (t *Group) resumption(s *session.Session, args continueArgs) (func(context.Context) (proc.Stop, error), error) {
	way := s.Stepper.Continue
	if args.Record {
		if err := s.Target.RequireProcess(); err != nil {
			return nil, err
		}
		way = func(ctx context.Context) (proc.Stop, error) {
			return s.Stepper.Record(ctx, uint64(args.MaxSteps), time.Duration(args.MaxMS)*time.Millisecond)
		}
	}
	if args.From == "" {
		return way, nil
	}
	switch err := s.Target.RequireProcess(); {
	case err != nil:
		return nil, err
	case t.NoWrite:
		return nil, failure.Denied("the server was started with --no-write")
	case !s.Timeline.InPast():
		return nil, failure.Errorf("Not in the past", "the present is looked at; debugger/step_backward, seek, reverse_continue and last_write go to the past")
	}
	return func(ctx context.Context) (proc.Stop, error) {
		if err := s.Stepper.Rewind(ctx); err != nil {
			return proc.Stop{}, err
		}
		return way(ctx)
	}, nil
}

// resume continues the process, or waits for it if it is already running. If an
// operation has ended whose result no caller received, it returns that result
// first.
func (t *Group) resume(ctx context.Context, call *mcp.Call, s *session.Session, args continueArgs) (session.Outcome, error) {
	if err := s.Target.RequireExecution(); err != nil {
		return session.Outcome{}, err
	}
	op := s.UnreportedOperation()
	if op == nil {
		if err := s.RequireIdle(); err != nil {
			return session.Outcome{}, err
		}
		way, err := t.resumption(s, args)
		if err = errors.Join(err, setSignals(s, args.Signals), t.follow(s, args.followArg)); err != nil {
			return session.Outcome{}, err
		}
		if args.From == "" && !args.Record && s.Travels() {
			op = s.BeginTravel(ctx, way)
		} else {
			op = s.Begin(way)
		}
	}
	return s.Await(ctx, call, op, args.Wait())
}
