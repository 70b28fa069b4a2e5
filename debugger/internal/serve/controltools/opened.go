package controltools

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// opened is the answer of open_core and open_trace.
type opened struct {
	State      session.State `json:"state"`
	File       string        `json:"file" doc:"The whole path of the core file or trace"`
	Executable string        `json:"executable,omitempty" doc:"The program"`
	Command    string        `json:"command,omitempty" doc:"How it was started, at most 80 bytes"`
	Threads    int           `json:"threads" doc:"How many threads there are"`
	Missing    []string      `json:"missing,omitempty" doc:"What is not there, and why"`

	name string
	note string
}

func (o opened) AuditPID() int { return o.State.PID }

// newOpened returns the description of a file. It must be called before the
// session starts, since it reads the view without the session's gate.
func newOpened(d *target.Target, files *core.Mapped) opened {
	o := opened{File: d.File, Executable: d.Executable(), name: d.Name()}
	threads, _ := d.View.Threads() // cannot fail for a file
	o.Threads = len(threads)
	maps, _ := d.View.Maps() // cannot fail for a file
	o.Missing = target.Missing(maps, files)
	return o
}

// beginFile starts a session with a file.
func (t *Group) beginFile(call *mcp.Call, d target.Target, answer opened) (opened, error) {
	s, err := t.Sessions.Add(call.StateKey(), d)
	if err != nil {
		return opened{}, err
	}
	answer.State = s.ReportedState()
	return answer, nil
}

// Text describes the file, its current position, and files that are missing.
func (o opened) Text() string {
	var b strings.Builder
	b.WriteString("Opened " + plain.Line(o.name))
	if o.Executable != "" {
		b.WriteString(" of " + plain.Line(o.Executable))
	}
	fmt.Fprintf(&b, ", process %d with %s", o.State.PID, plain.Count(o.Threads, "thread"))
	b.WriteString(o.note + "\n" + lined{State: o.State}.Text())
	for _, each := range o.Missing {
		b.WriteString("\nMissing: " + plain.Line(each))
	}
	return b.String()
}
