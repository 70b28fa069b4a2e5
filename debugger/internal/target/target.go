package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// A Target is what a session is about: a process, or a file that has what one
// was like. A file has neither process nor output.
type Target struct {
	Kind string // for people: process, core file or trace
	File string // that was opened, "" for a process
	PID  int

	Process *proc.Process // nil for a file
	Output  *Output       // of a launched program, else nil

	// scene is what is looked at now. It is the process at the present.
	View View
	// past is the history of a trace, nil for a core file. That of a process
	// is its recorder's.
	History *history.History

	ProgramPath string // the path of the executable, "" when nobody knows; not for a process
	OpenImage   func(symbols.Mapping) (symbols.File, error)
	CloseFile   func() error // of a file, nil when there is nothing to close

	Stop   proc.Stop // where a file stands, as far as it is known
	Reason string    // why it stands there, in a word
}

// Name is the debuggee in a few words.
func (d *Target) Name() string {
	if d.Process != nil {
		return fmt.Sprintf("process %d", d.PID)
	}
	return d.Kind + " " + d.File
}

// Launched says whether the program was started here.
func (d *Target) Launched() bool { return d.Process != nil && d.Process.Launched() }

// ExitStop is how a process has ended, if it has.
func (d *Target) ExitStop() (proc.Stop, bool) {
	if d.Process == nil {
		return proc.Stop{}, false
	}
	return d.Process.End()
}

// Executable is the path of the program as the process sees it.
func (d *Target) Executable() string {
	if d.Process == nil {
		return d.ProgramPath
	}
	path, _ := d.Process.Executable() // one that has ended has none
	return path
}

// CurrentStop is a stop for no other reason than that the debuggee stands there.
func (d *Target) CurrentStop() proc.Stop {
	stop, thread := d.Stop, d.Stop.Thread
	stop.Thread, _ = d.View.CurrentThread()
	if stop.Why == 0 || thread != 0 && thread != stop.Thread { // another one was chosen
		stop = proc.Stop{Why: proc.Paused, Thread: stop.Thread}
	}
	regs, _ := d.View.Regs(stop.Thread) // of a process that has died there are none
	stop.Address = regs.RIP
	return stop
}

// RequireProcess says whether there is a process that can be changed.
func (d *Target) RequireProcess() error {
	if d.Process != nil {
		return nil
	}
	return failure.Errorf("No process", "this session is a %s, %s: it can be looked at, not moved or changed", d.Kind, d.File)
}

// RequireExecution says whether there is anything to go through: a process, or a trace.
// The history of a process is its operation's while that is on, and not looked
// at.
func (d *Target) RequireExecution() error {
	if d.Process == nil && d.History != nil {
		return nil
	}
	return d.RequireProcess()
}

// Release lets the process run on, or ends it, or closes the file.
func (d *Target) Release(ctx context.Context, kill bool) error {
	if d.Process == nil {
		if d.CloseFile == nil {
			return nil
		}
		return d.CloseFile()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), detachTime)
	defer cancel()
	var err error
	if kill {
		err = ignoreEnd(d.Process.Kill())
	}
	return errors.Join(err, ignoreEnd(d.Process.Detach(ctx)))
}

// detachTime is how long putting everything back may take.
const detachTime = 10 * time.Second

// ignoreEnd: that a process has ended by itself is no failure to end it.
func ignoreEnd(err error) error {
	if errors.Is(err, proc.ErrExited) || errors.Is(err, proc.ErrDetached) {
		return nil
	}
	return err
}
