package debugger

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/mcp"
)

type attachArgs struct {
	PID int `json:"pid" doc:"Process ID to attach to"`
}

// Validate checks what the documented schema does not say.
func (a attachArgs) Validate() error {
	if a.PID < 1 {
		return errors.New("pid must be a positive integer")
	}
	return nil
}

// attached is the answer of attach.
type attached struct {
	State state `json:"state"`
}

// Text is the documented form.
func (a attached) Text() string {
	return fmt.Sprintf("Successfully attached to process %d", a.State.PID)
}

// attach begins a session with a process that runs. One that the client has
// a session with already is not attached to again.
func (t *controlGroup) attach(ctx context.Context, call *mcp.Call, args attachArgs) (attached, error) {
	key := call.StateKey()
	for _, s := range t.sessions.own(key) {
		if _, ended := s.end(); !ended && s.process != nil && s.pid == args.PID {
			return attached{s.tell()}, nil
		}
	}
	if err := errors.Join(t.sessions.room(key), t.policy.check(args.PID)); err != nil {
		return attached{}, err
	}
	process, err := proc.Attach(ctx, args.PID, t.processOptions())
	if errors.Is(err, proc.ErrNotFound) {
		err = &missingProcessError{args.PID}
	}
	if err != nil {
		return attached{}, err
	}
	s, err := t.sessions.add(key, ofProcess(process, nil, "attached"))
	if err != nil {
		return attached{}, err
	}
	return attached{s.tell()}, nil
}

func (t *controlGroup) processOptions() proc.Options {
	return proc.Options{Log: t.sessions.log, MaxStop: t.sessions.stop}
}

type launchArgs struct {
	Path string            `json:"path" doc:"The program: a path, or a name that is looked up in PATH"`
	Args []string          `json:"args,omitempty" doc:"Its arguments"`
	Env  map[string]string `json:"env,omitempty" doc:"Variables that are added to the server's environment"`
	Dir  string            `json:"cwd,omitempty" doc:"The folder to run it in; that of the server if not given"`
	Stop bool              `json:"stop_at_entry,omitempty" doc:"Stop before the first instruction, instead of at main"`
}

// Validate checks what the schema does not say.
func (a launchArgs) Validate() error {
	for _, text := range append([]string{a.Path, a.Dir}, a.Args...) {
		if strings.ContainsRune(text, 0) {
			return errors.New("path, args and cwd must not hold null bytes")
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
	State state `json:"state"`

	place string // where that is, "" for a stop that has a text of its own
}

func (l launched) AuditPID() int { return l.State.PID }

// Text names the new process, and where it is.
func (l launched) Text() string {
	where := l.State.Text()
	if l.place != "" {
		where = fmt.Sprintf("Stopped at %s (%s)", plain(l.place), l.State.Address)
	}
	if l.State.Note != "" {
		where += "\nNote: " + plain(l.State.Note)
	}
	return fmt.Sprintf("Launched process %d\n%s", l.State.PID, where)
}

// launch starts a program and begins a session with it.
func (t *controlGroup) launch(ctx context.Context, call *mcp.Call, args launchArgs) (launched, error) {
	if t.noLaunch {
		return launched{}, &refusedError{"the server was started with --no-launch"}
	}
	if err := t.sessions.room(call.StateKey()); err != nil {
		return launched{}, err
	}
	path, err := lookPath(args.Path, args.Dir)
	if err != nil {
		return launched{}, failed("Launch failed", "%v", err)
	}
	out, err := newOutput()
	if err != nil {
		return launched{}, err
	}
	spec := proc.Spec{Path: path, Args: args.Args, Env: environment(args.Env), Dir: args.Dir, Files: out.files()}
	process, err := proc.Launch(ctx, spec, t.processOptions())
	out.begin()
	if _, denied := errors.AsType[*proc.PermissionError](err); err != nil && !denied && ctx.Err() == nil {
		err = failed("Launch failed", "%v", err)
	}
	if err != nil {
		out.abandon()
		return launched{}, err
	}
	s, err := t.sessions.add(call.StateKey(), ofProcess(process, out, "launched"))
	if err != nil {
		return launched{}, err
	}
	if args.Stop {
		return launched{State: s.tell()}, nil
	}
	answer, err := within(ctx, call, s, t.toMain, args)
	if err = t.sessions.afterwards(s, err); err != nil {
		err = errors.Join(err, t.sessions.end(ctx, s, true, "the program could not be run to main"))
	}
	return answer, err
}

// lookPath finds the program as a shell in the folder would.
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

type detachArgs struct {
	Kill bool `json:"kill,omitempty" doc:"End the program; only for one that was launched"`
	sessionArg
}

// detached is the answer of detach.
type detached struct {
	State state  `json:"state"`
	Done  string `json:"done" doc:"What became of the process: detached or killed; closed for a file"`

	name string // of a file
}

func (d detached) AuditPID() int { return d.State.PID }

// Text says what became of the process.
func (d detached) Text() string {
	switch d.Done {
	case "killed":
		return fmt.Sprintf("Killed process %d", d.State.PID)
	case "closed":
		return "Closed " + plain(d.name)
	}
	return fmt.Sprintf("Detached from process %d", d.State.PID)
}

// detach ends a session. It overtakes whatever the session is doing.
func (t *controlGroup) detach(ctx context.Context, call *mcp.Call, args detachArgs) (detached, error) {
	s, err := t.sessions.find(call.StateKey(), args.Session)
	if err != nil {
		return detached{}, err
	}
	if args.Kill && !s.launched() {
		return detached{}, failed("Not launched", "%s was not launched here and is not ours to kill; debugger/detach without kill lets it go", s.name())
	}
	d := parting(s)
	if args.Kill {
		d.Done, d.State.Status = "killed", exited
	}
	err = t.sessions.end(ctx, s, args.Kill, s.name()+" was detached from")
	if stop, ended := s.end(); ended {
		d.State = s.describe(stop)
	}
	return d, err
}

// parting is the answer of detach before anything was done.
func parting(s *session) detached {
	if s.process == nil {
		return detached{State: state{Session: s.id, PID: s.pid, Status: stopped}, Done: "closed", name: s.name()}
	}
	return detached{State: state{Session: s.id, PID: s.pid, Status: running}, Done: "detached"}
}

// sessionList is the answer of sessions.
type sessionList struct {
	Sessions []sessionItem `json:"sessions"`
}

// A sessionItem is a session as the list has it.
type sessionItem struct {
	Launched   bool   `json:"launched,omitempty" doc:"Whether the program was started here"`
	Executable string `json:"executable,omitempty"`
	File       string `json:"file,omitempty" doc:"The core file or trace that is looked at"`
	State      state  `json:"state"`

	name string
}

// Text is a line for each session.
func (l sessionList) Text() string {
	if len(l.Sessions) == 0 {
		return "No sessions"
	}
	var b strings.Builder
	b.WriteString("Sessions:")
	for _, s := range l.Sessions {
		fmt.Fprintf(&b, "\n  %s: %s %s, %s", s.State.Session, plain(s.name), plain(s.Executable), s.State.Status)
		if s.State.Address != "" {
			b.WriteString(" at " + s.State.place())
		}
	}
	return b.String()
}

func (t *controlGroup) list(_ context.Context, call *mcp.Call, _ struct{}) (sessionList, error) {
	list := sessionList{Sessions: []sessionItem{}}
	for _, s := range t.sessions.own(call.StateKey()) {
		list.Sessions = append(list.Sessions, sessionItem{
			Launched: s.launched(), Executable: s.executable(), File: s.file, State: s.state(), name: s.name(),
		})
	}
	return list, nil
}
