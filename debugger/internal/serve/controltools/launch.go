package controltools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// launchArgs holds the arguments of launch.
type launchArgs struct {
	Path string            `json:"path" doc:"Path, or a name in PATH"`
	Args []string          `json:"args,omitempty"`
	Env  map[string]string `json:"env,omitempty" doc:"Added to the server's environment"`
	Dir  string            `json:"cwd,omitempty"`
	Stop bool              `json:"stop_at_entry,omitempty" doc:"Stop before main"`
	// Input is one of the kinds of package target, or a file.
	Input string `json:"input,omitempty" doc:"pipe or terminal, for send_input, or a file"`
	followArg
	historyArg
}

// Validate checks rules that the schema cannot express.
func (a launchArgs) Validate() error {
	for _, text := range append([]string{a.Path, a.Dir, a.Input}, a.Args...) {
		if strings.ContainsRune(text, 0) {
			return errors.New("path, args, input and cwd must not hold null bytes")
		}
	}
	for name, value := range a.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return errors.New("env must have names without = and values without null bytes")
		}
	}
	if a.Path == "" {
		return errors.New("path must not be empty")
	}
	return nil
}

// launched is the answer of launch.
type launched struct {
	State session.State `json:"state"`

	place string // name of the place, "" for a stop with a text of its own
}

func (l launched) AuditPID() int { return l.State.PID }

// Text describes the new process and where it stopped.
func (l launched) Text() string {
	where := l.State.Text()
	if l.place != "" {
		where = fmt.Sprintf("Stopped at %s (%s)", plain.Line(l.place), l.State.Address)
	}
	if l.State.Note != "" {
		where += "\nNote: " + plain.Line(l.State.Note)
	}
	return fmt.Sprintf("Launched process %d\n%s", l.State.PID, where)
}

// reasonLaunched is the reason of the stop at which launch leaves the process.
const reasonLaunched = "launched"

// launch starts a program and a session with it.
func (t *Group) launch(ctx context.Context, call *mcp.Call, args launchArgs) (launched, error) {
	if t.NoLaunch {
		return launched{}, errNoLaunch
	}
	path, err := lookPath(args.Path, args.Dir)
	if err != nil {
		return launched{}, failure.Errorf("Launch failed", "%v", err)
	}
	input, err := inputOf(args.Input, args.Dir)
	if err != nil {
		return launched{}, failure.Errorf("Launch failed", "%v", err)
	}
	history, err := t.budget(args.historyArg)
	if err != nil {
		return launched{}, err
	}
	spec := proc.Spec{Path: path, Args: args.Args, Env: environment(args.Env), Dir: args.Dir}
	return t.begin(ctx, call, session.Program{Spec: spec, Input: input, AtEntry: args.Stop, Follow: args.mode(), History: history})
}

var errNoLaunch = failure.Denied("the server was started with --no-launch")

// begin launches a program and a session with it, sets the breakpoints that it
// has had before, and runs it to main.
func (t *Group) begin(ctx context.Context, call *mcp.Call, p session.Program) (launched, error) {
	if err := t.Sessions.RequireRoom(call.StateKey()); err != nil {
		return launched{}, err
	}
	d, err := target.Launch(ctx, p.Spec, p.Input, t.processOptions(), reasonLaunched)
	if _, denied := errors.AsType[*proc.PermissionError](err); err != nil && !denied && ctx.Err() == nil {
		err = failure.Errorf("Launch failed", "%v", err)
	}
	if err != nil {
		return launched{}, err
	}
	d.Account = t.account(call)
	s, err := t.Sessions.AddProgram(call.StateKey(), d, p)
	if err != nil {
		return launched{}, err
	}
	answer, err := sessiontools.Exclusive(ctx, call, s, t.toStart, p)
	if err = t.Sessions.EndIfExited(s, err); err != nil {
		err = errors.Join(err, t.Sessions.End(ctx, s, true, "the program could not be run to main"))
	}
	return answer, err
}

// toStart sets breakpoints and runs a launched program to where it is to stop
// first.
func (t *Group) toStart(ctx context.Context, call *mcp.Call, s *session.Session, p session.Program) (answer launched, err error) {
	s.Breakpoints.StopAtPanics(true)
	s.Timeline.Keep(p.History)
	for sig, action := range p.Signals {
		if err := s.SetSignal(sig, action); err != nil {
			return launched{}, err
		}
	}
	if err := t.Sessions.Follow(s, p.Follow); err != nil {
		return launched{}, err
	}
	notes := s.Breakpoints.SetAgain(ctx, p.Breakpoints)
	if p.AtEntry {
		answer = launched{State: s.ReportedState()}
	} else if answer, err = t.toMain(ctx, call, s); err != nil {
		return answer, err
	}
	if answer.State.Note != "" {
		notes = append(notes, answer.State.Note)
	}
	answer.State.Note = strings.Join(notes, "; ")
	return answer, nil
}

// lookPath finds a program as a shell in the working directory dir does.
func lookPath(path, dir string) (string, error) {
	switch {
	case filepath.IsAbs(path):
		return path, nil
	case strings.ContainsRune(path, filepath.Separator):
		return filepath.Abs(filepath.Join(dir, path))
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(found)
}

// inputOf returns what a program reads that is launched in the working directory dir.
func inputOf(input, dir string) (string, error) {
	switch input {
	case target.NoInput, target.PipeInput, target.TerminalInput:
		return input, nil
	}
	if filepath.IsAbs(input) {
		return input, nil
	}
	return filepath.Abs(filepath.Join(dir, input))
}

// environment returns the server's environment with the given variables added or
// replaced.
func environment(added map[string]string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		_, replaced := added[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(added)) {
		env = append(env, name+"="+added[name])
	}
	return env
}

// toMain runs a launched program to its main function, or to its entry point if
// main is not known. At that point the loader has mapped all libraries.
func (t *Group) toMain(ctx context.Context, call *mcp.Call, s *session.Session) (launched, error) {
	if at := s.Inspector.MainFunction(ctx); at != 0 {
		answer, reached, err := t.toPlace(ctx, call, s, at)
		if reached {
			answer.place = answer.State.Function
		}
		return answer, err
	}
	answer, reached, err := t.toPlace(ctx, call, s, s.Inspector.EntryPoint())
	if reached {
		answer.place = "the program's entry point"
		answer.State.Note = noMain
	}
	return answer, err
}

// noMain is the note about a program without a known main function.
const noMain = "no function main is known, since the program has no symbols for it"

// toPlace runs a launched program to an address, unless it is already there. It
// never reaches address 0.
func (t *Group) toPlace(ctx context.Context, call *mcp.Call, s *session.Session, at uint64) (answer launched, reached bool, err error) {
	if here := s.Target.CurrentStop().Address; at == 0 || at == here {
		return launched{State: s.ReportedState()}, at == here, nil
	}
	moved, err := s.Move(ctx, call, sessiontools.DefaultWait, func(ctx context.Context) (proc.Stop, error) {
		stop, _, err := s.Stepper.RunTo(ctx, proc.BreakpointSpec{Address: at})
		return stop, err
	})
	now := moved.State
	if now.Status != session.Stopped || now.Reason != session.Reasons[proc.Stepped] {
		return launched{State: now}, false, err
	}
	s.SetReason(reasonLaunched)
	return launched{State: s.ReportedState()}, true, err
}
