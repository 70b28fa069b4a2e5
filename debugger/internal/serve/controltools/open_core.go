package controltools

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/folders"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp"
)

// openCoreArgs holds the arguments of open_core.
type openCoreArgs struct {
	Core       string `json:"core" min:"1" doc:"Path below a folder of --traces" bounds:"enforced"`
	Executable string `json:"executable,omitempty" doc:"The program, if it has moved"`
	Root       string `json:"root,omitempty" doc:"Copy of its files, such as a container's"`
}

// Validate checks rules that the schema cannot express.
func (a openCoreArgs) Validate() error {
	return errors.Join(folders.NoNull("core", a.Core), folders.NoNull("executable", a.Executable), folders.NoNull("root", a.Root))
}

// openCore starts a session with a core file.
func (t *Group) openCore(_ context.Context, call *mcp.Call, args openCoreArgs) (_ opened, err error) {
	if err := t.Sessions.RequireRoom(call.StateKey()); err != nil {
		return opened{}, err
	}
	file, path, err := t.Traces.Open(args.Core)
	if err != nil {
		return opened{}, err
	}
	account := t.account(call)
	defer closeUnless(account, &err)
	scene, err := target.OpenCore(file, account, target.Overrides{Executable: args.Executable, Root: args.Root, Open: t.Traces.Open})
	if err != nil {
		return opened{}, errors.Join(err, file.Close())
	}
	d := target.Target{
		Kind: "core file", File: path, PID: scene.PID(), ProgramPath: scene.Executable(),
		View: scene, OpenImage: target.ImageOpener(scene.Mapped()), Stop: scene.Stop(), Reason: coreReason(scene.Stop()),
		CloseFile: func() error { return errors.Join(scene.Close(), file.Close()) }, Account: account,
	}
	answer := newOpened(&d, scene.Mapped())
	answer.Command = scene.Command()
	answer.Missing = append(answer.Missing, scene.Overrides.Unused()...)
	if scene.Cut() {
		answer.Missing = append(answer.Missing, "memory: the core file was cut off")
	}
	return t.beginFile(call, d, answer)
}

// coreReason returns the reason for which a process wrote a core file, or "" if
// that was not a signal.
func coreReason(stop proc.Stop) string {
	if stop.Signal != 0 {
		return session.Reasons[proc.Signalled]
	}
	return ""
}
