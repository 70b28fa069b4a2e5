package debugger

import (
	"context"
	"errors"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/mcp"
)

type openCoreArgs struct {
	Core       string `json:"core" min:"1" doc:"Path of the core file, below a folder that --traces names"`
	Executable string `json:"executable,omitempty" doc:"Path of the program if it is no longer where it was, likewise"`
	Root       string `json:"root,omitempty" doc:"Folder with a copy of the process's files, such as those of its container, likewise; it is looked in first"`
}

// Validate checks what the schema does not say.
func (a openCoreArgs) Validate() error {
	return errors.Join(noNull("core", a.Core), noNull("executable", a.Executable), noNull("root", a.Root))
}

// openCore begins a session with a core file.
func (t *controlGroup) openCore(_ context.Context, call *mcp.Call, args openCoreArgs) (opened, error) {
	if err := t.sessions.room(call.StateKey()); err != nil {
		return opened{}, err
	}
	file, path, err := t.traces.open(args.Core)
	if err != nil {
		return opened{}, err
	}
	scene, err := newCoreScene(file, places{args.Executable, args.Root, t.traces.open})
	if err != nil {
		return opened{}, errors.Join(err, file.Close())
	}
	d := debuggee{
		kind: "core file", file: path, pid: scene.PID(), program: scene.Executable(),
		scene: scene, open: mappedOpener(scene.Mapped()), stop: scene.Stop(), reason: coreReason(scene.Stop()),
		close: func() error { return errors.Join(scene.Close(), file.Close()) },
	}
	answer := newOpened(&d, scene.Mapped())
	answer.Command = scene.Command()
	answer.Missing = append(answer.Missing, scene.instead.unused()...)
	if scene.Cut() {
		answer.Missing = append(answer.Missing, "memory: the core file was cut off")
	}
	return t.begin(call, d, answer)
}

// coreReason is why a process left a core file, "" when nothing had happened to
// it.
func coreReason(stop proc.Stop) string {
	if stop.Signal != 0 {
		return reasons[proc.Signalled]
	}
	return ""
}

// newCoreScene reads a core file. The program is looked for where it was unless
// somebody says where it is.
func newCoreScene(file *os.File, where places) (*coreScene, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	instead, err := newStandIn(where)
	if err != nil {
		return nil, err
	}
	f, err := core.New(file, info.Size(), core.Options{Open: instead.open})
	if err != nil {
		return nil, errors.Join(wrongCore(err), instead.close())
	}
	if err := instead.check(f.Executable(), f.Mapped()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &coreScene{File: f, instead: instead}, nil
}

// wrongCore is for files of other kinds.
func wrongCore(err error) error {
	if errors.Is(err, core.ErrFormat) {
		return failed("Not a core file", "%v", err)
	}
	return err
}

// A coreScene is a core file as tools look at it.
type coreScene struct {
	*core.File
	instead *standIn
	chosen  int // the current thread if somebody chose it, else 0
}

// noMemory is an error about memory that is not there.
type noMemory struct{ error }

// Is makes it one for who asks.
func (noMemory) Is(target error) bool { return target == errNoMemory }

// Unwrap is what it is made of.
func (e noMemory) Unwrap() error { return e.error }

// ReadMemory returns how many bytes could be read.
func (c *coreScene) ReadMemory(addr uint64, b []byte) (int, error) {
	n, err := c.File.ReadMemory(addr, b)
	if err != nil {
		err = noMemory{err}
	}
	return n, err
}

// CurrentThread is the one that the signal was for, unless another one was
// chosen.
func (c *coreScene) CurrentThread() (int, error) {
	if c.chosen != 0 {
		return c.chosen, nil
	}
	return c.Stop().Thread, nil
}

// SetCurrentThread chooses another one.
func (c *coreScene) SetCurrentThread(id int) error {
	if _, err := c.File.Regs(id); err != nil {
		return err
	}
	c.chosen = id
	return nil
}

// Threads are those of the process.
func (c *coreScene) Threads() ([]proc.ThreadInfo, error) {
	all := c.File.Threads()
	current, _ := c.CurrentThread() // there always is one
	for i := range all {
		all[i].Current = all[i].ID == current
	}
	return all, nil
}

// Regs returns the registers of a thread.
func (c *coreScene) Regs(thread int) (ptrace.Regs, error) { return c.File.Regs(c.thread(thread)) }

// XState returns the vector state of a thread.
func (c *coreScene) XState(thread int, buf []byte) ([]byte, error) {
	return c.File.XState(c.thread(thread), buf)
}

func (c *coreScene) thread(id int) int {
	if id == 0 {
		return c.chosen
	}
	return id
}

// Maps are the ranges of memory.
func (c *coreScene) Maps() (proc.Maps, error) { return c.File.Maps(), nil }
