package debugger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// A debuggee is what a session is about: a process, or a file that has what one
// was like. A file has neither process nor output.
type debuggee struct {
	kind string // for people: process, core file or trace
	file string // that was opened, "" for a process
	pid  int

	process *proc.Process // nil for a file
	output  *output       // of a launched program, else nil

	// scene is what is looked at now. It is the process at the present.
	scene scene
	// past is the history of a trace, nil for a core file. That of a process
	// is its recorder's.
	past *history.History

	program string // the path of the executable, "" when nobody knows; not for a process
	open    func(symbols.Mapping) (symbols.File, error)
	close   func() error // of a file, nil when there is nothing to close

	stop   proc.Stop // where a file stands, as far as it is known
	reason string    // why it stands there, in a word
}

// ofProcess is a process that stands still.
func ofProcess(p *proc.Process, out *output, reason string) debuggee {
	return debuggee{
		kind: "process", pid: p.ID(), process: p, output: out, scene: p, open: opener(p), reason: reason,
	}
}

// name is the debuggee in a few words.
func (d *debuggee) name() string {
	if d.process != nil {
		return fmt.Sprintf("process %d", d.pid)
	}
	return d.kind + " " + d.file
}

// launched says whether the program was started here.
func (d *debuggee) launched() bool { return d.process != nil && d.process.Launched() }

// end is how a process has ended, if it has.
func (d *debuggee) end() (proc.Stop, bool) {
	if d.process == nil {
		return proc.Stop{}, false
	}
	return d.process.End()
}

// executable is the path of the program as the process sees it.
func (d *debuggee) executable() string {
	if d.process == nil {
		return d.program
	}
	path, _ := d.process.Executable() // one that has ended has none
	return path
}

// here is a stop for no other reason than that the debuggee stands there.
func (d *debuggee) here() proc.Stop {
	stop, thread := d.stop, d.stop.Thread
	stop.Thread, _ = d.scene.CurrentThread()
	if stop.Why == 0 || thread != 0 && thread != stop.Thread { // another one was chosen
		stop = proc.Stop{Why: proc.Paused, Thread: stop.Thread}
	}
	regs, _ := d.scene.Regs(stop.Thread) // of a process that has died there are none
	stop.Address = regs.RIP
	return stop
}

// alive says whether there is a process that can be changed.
func (d *debuggee) alive() error {
	if d.process != nil {
		return nil
	}
	return failed("No process", "this session is a %s, %s: it can be looked at, not moved or changed", d.kind, d.file)
}

// movable says whether there is anything to go through: a process, or a trace.
// The history of a process is its operation's while that is on, and not looked
// at.
func (d *debuggee) movable() error {
	if d.process == nil && d.past != nil {
		return nil
	}
	return d.alive()
}

// letGo lets the process run on, or ends it, or closes the file.
func (d *debuggee) letGo(ctx context.Context, kill bool) error {
	if d.process == nil {
		if d.close == nil {
			return nil
		}
		return d.close()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), detachTime)
	defer cancel()
	var err error
	if kill {
		err = ignoreEnd(d.process.Kill())
	}
	return errors.Join(err, ignoreEnd(d.process.Detach(ctx)))
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

// memory reads the scene for the symbols. It is made anew for each use: the
// scene changes with time.
func (d *debuggee) memory() symbols.Memory { return memory{d.scene} }

type memory struct{ scene scene }

// ReadMemory reads all of p, or fails.
func (m memory) ReadMemory(addr uint64, p []byte) error {
	_, err := m.scene.ReadMemory(addr, p)
	return err
}

// ReadPart reads what can be read of p.
func (m memory) ReadPart(addr uint64, p []byte) int {
	n, _ := m.scene.ReadMemory(addr, p)
	return n
}
