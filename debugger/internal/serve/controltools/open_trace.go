package controltools

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/folders"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// openTraceArgs holds the arguments of open_trace.
type openTraceArgs struct {
	File       string `json:"file" min:"1" doc:"Trace or recording below a folder of --traces" bounds:"enforced"`
	Executable string `json:"executable,omitempty"`
	Root       string `json:"root,omitempty"`
}

// Validate checks rules that the schema cannot express.
func (a openTraceArgs) Validate() error {
	return errors.Join(folders.NoNull("file", a.File), folders.NoNull("executable", a.Executable), folders.NoNull("root", a.Root))
}

// openRecording replays a recording of a whole program. That runs code of the file in a
// process, so it needs what launching a program needs.
func (t *Group) openRecording(ctx context.Context, call *mcp.Call, file *os.File, account *budget.Account, path string, args openTraceArgs) (target.Target, opened, error) {
	if t.NoLaunch || !call.Caller().Principal.Allows(sessiontools.WriteScope) {
		return target.Target{}, opened{}, errors.Join(failure.Denied("a recording is replayed by a process, and none may be launched"), file.Close())
	}
	inside, done := sessiontools.Timed(ctx, call, t.Sessions.Work)
	defer func() { _ = done(nil) }() // if opening it panics
	r, err := target.OpenRecording(inside, file, account, target.Overrides{Executable: args.Executable, Root: args.Root, Open: t.Traces.Open, Findings: t.Findings})
	if err = errors.Join(done(err), file.Close()); err != nil {
		return target.Target{}, opened{}, err
	}
	d := r.Target(path)
	d.Account = account
	answer := newOpened(&d, r.Files)
	answer.Missing = append(answer.Missing, r.Overrides.Unused()...)
	answer.note = fmt.Sprintf(", positions %s to %s; %s", plain.Thousands(int64(d.History.Oldest())), plain.Thousands(int64(d.History.End())), r.Ending())
	return d, answer, nil
}

// openTrace starts a session with a trace, at its last position.
func (t *Group) openTrace(ctx context.Context, call *mcp.Call, args openTraceArgs) (_ opened, err error) {
	if err := t.Sessions.RequireRoom(call.StateKey()); err != nil {
		return opened{}, err
	}
	file, path, err := t.Traces.Open(args.File)
	if err != nil {
		return opened{}, err
	}
	account := t.account(call)
	defer closeUnless(account, &err)
	if recfile.Is(file) {
		d, answer, err := t.openRecording(ctx, call, file, account, path, args)
		if err != nil {
			return opened{}, err
		}
		if answer, err = t.beginFile(call, d, answer); err != nil {
			return opened{}, errors.Join(err, d.CloseFile())
		}
		return answer, nil
	}
	inside, done := sessiontools.Timed(ctx, call, t.Sessions.Work)
	defer func() { _ = done(nil) }() // if opening it panics
	trace, err := target.ReadTrace(inside, file, account, func(done, total float64) { call.Progress(ctx, done, total, "bytes read") })
	if err = errors.Join(done(err), file.Close()); err != nil {
		return opened{}, err
	}
	scene, err := target.NewTrace(trace, target.Overrides{Executable: args.Executable, Root: args.Root, Open: t.Traces.Open})
	if err != nil {
		return opened{}, err
	}
	d := scene.Target(path)
	d.Account = account
	answer := newOpened(&d, scene.Files)
	answer.Missing = append(answer.Missing, scene.Overrides.Unused()...)
	answer.note = fmt.Sprintf(", positions %s to %s", plain.Thousands(int64(trace.Oldest())), plain.Thousands(int64(trace.End())))
	return t.beginFile(call, d, answer)
}
