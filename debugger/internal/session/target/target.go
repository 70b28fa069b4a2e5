package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/redact"
)

// A Target is a debugged process, core file or trace. Files have neither a
// process nor output.
type Target struct {
	Kind string // for people: process, core file or trace
	File string // that was opened, "" for a process
	PID  int    // of the process at the begin, see ProcessID

	Process *proc.Process // nil for a file
	Output  *Output       // of a launched program, else nil
	Input   *Input        // of a launched program that has one, else nil
	// InputKind says what a launched program reads: a kind of input, or a file.
	InputKind string
	Spec      proc.Spec // of a launched program, without its files

	// View reads the current position. At the present of a process it is the
	// process.
	View View
	// History is the history of a trace, or of a process that is recorded; nil
	// for a core file.
	History *history.History

	ProgramPath string // of the executable, "" if it is not known; unused for a process
	OpenImage   func(symbols.Mapping) (symbols.File, error)
	CloseFile   func() error // for a file; may be nil

	// FindDebug returns the path of the separate debug file of a build id, as
	// symbols.Config has it; nil asks for none.
	FindDebug func(buildID string) string

	// Account has the memory of the file and of debug information; it is closed with the
	// session. Nil does not limit it.
	Account *budget.Account

	// MaskSecrets masks what looks like a secret in values that are shown.
	MaskSecrets bool
	// Secrets remembers the secrets that were found in the session; nil if none are masked.
	Secrets *redact.Known

	Stop   proc.Stop // of a file, as far as it is known
	Reason string    // a value of State.Reason
}

// Name describes the target in a few words.
func (d *Target) Name() string {
	if d.Process != nil {
		return fmt.Sprintf("process %d", d.Process.ID())
	}
	return d.Kind + " " + d.File
}

// ProcessID returns the id of the process. It changes if the session goes on with a
// child.
func (d *Target) ProcessID() int {
	if d.Process != nil {
		return d.Process.ID()
	}
	return d.PID
}

// Launched reports whether the session launched the process.
func (d *Target) Launched() bool { return d.Process != nil && d.Process.Launched() }

// ExitStop returns how the process ended, if it has.
func (d *Target) ExitStop() (proc.Stop, bool) {
	if d.Process == nil {
		return proc.Stop{}, false
	}
	return d.Process.End()
}

// Executable returns the path of the program as the process sees it, "" if it
// is not known.
func (d *Target) Executable() string {
	if d.Process == nil {
		return d.ProgramPath
	}
	path, _ := d.Process.Executable() // a process that has ended has none
	return path
}

// CurrentStop returns a stop at the current position of the current thread. Of
// a file it has the reason why the process ended there.
func (d *Target) CurrentStop() proc.Stop {
	stop, thread := d.Stop, d.Stop.Thread
	stop.Thread, _ = d.View.CurrentThread()
	if stop.Why == 0 || thread != 0 && thread != stop.Thread { // another one was chosen
		stop = proc.Stop{Why: proc.Paused, Thread: stop.Thread}
	}
	regs, _ := d.View.Regs(stop.Thread) // a process that has died has none
	stop.Address = regs.RIP
	return stop
}

// RequireProcess returns an error unless the target is a process.
func (d *Target) RequireProcess() error {
	if d.Process != nil {
		return nil
	}
	return failure.Errorf("No process", "this session is a %s, %s: it can be looked at, not moved or changed", d.Kind, d.File)
}

// RequireExecution returns an error unless the target can be stepped through:
// a process or a trace.
func (d *Target) RequireExecution() error {
	if d.Process == nil && d.History != nil {
		return nil
	}
	return d.RequireProcess()
}

// Release detaches from the process, or kills it, or closes the file.
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
		err = proc.UnlessEnded(d.Process.Kill())
	}
	return errors.Join(err, proc.UnlessEnded(d.Process.Detach(ctx)), d.Input.Close())
}

// detachTime bounds a detach.
const detachTime = 10 * time.Second
