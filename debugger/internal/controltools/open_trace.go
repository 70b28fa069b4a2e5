package controltools

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/folders"
	"github.com/triptych-mcp/triptych/debugger/internal/plain"
	"github.com/triptych-mcp/triptych/debugger/internal/target"
	"github.com/triptych-mcp/triptych/mcp"
)

// openTraceArgs holds the arguments of open_trace.
type openTraceArgs struct {
	File       string `json:"file" min:"1" doc:"Path of a binary trace, below a folder given by --traces"`
	Executable string `json:"executable,omitempty" doc:"Path of the program if it has moved, likewise"`
	Root       string `json:"root,omitempty" doc:"Folder with a copy of the process's files, such as a container's, likewise"`
}

// Validate checks rules that the schema cannot express.
func (a openTraceArgs) Validate() error {
	return errors.Join(folders.NoNull("file", a.File), folders.NoNull("executable", a.Executable), folders.NoNull("root", a.Root))
}

// openTrace starts a session with a trace, at its last position.
func (t *Group) openTrace(ctx context.Context, call *mcp.Call, args openTraceArgs) (opened, error) {
	if err := t.Sessions.RequireRoom(call.StateKey()); err != nil {
		return opened{}, err
	}
	file, path, err := t.Traces.Open(args.File)
	if err != nil {
		return opened{}, err
	}
	trace, err := target.ReadTrace(ctx, file, func(done, total float64) { call.Progress(ctx, done, total, "bytes read") })
	if err = errors.Join(err, file.Close()); err != nil {
		return opened{}, err
	}
	scene, err := target.NewTrace(trace, target.Overrides{Executable: args.Executable, Root: args.Root, Open: t.Traces.Open})
	if err != nil {
		return opened{}, err
	}
	d := scene.Target(path)
	answer := newOpened(&d, scene.Files)
	answer.Missing = append(answer.Missing, scene.Overrides.Unused()...)
	answer.note = fmt.Sprintf(", positions %s to %s", plain.Thousands(int64(trace.Oldest())), plain.Thousands(int64(trace.End())))
	return t.begin(call, d, answer)
}
