package target

import (
	"errors"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// OpenCore reads a core file. The program is opened where it was unless the
// overrides name another path. The account has the memory of the core file.
func OpenCore(file *os.File, account *budget.Account, where Overrides) (*Core, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	instead, err := openOverrides(where)
	if err != nil {
		return nil, err
	}
	f, err := core.New(file, info.Size(), core.Options{Open: instead.open, Memory: account})
	if err != nil {
		return nil, errors.Join(wrongCore(err), instead.close())
	}
	if err := instead.check(f.Executable(), f.Mapped()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Core{File: f, Overrides: instead}, nil
}

// wrongCore describes a file that is no core file.
func wrongCore(err error) error {
	if isFull(err) {
		return tooLarge("core file", err)
	}
	if errors.Is(err, core.ErrFormat) {
		return failure.Errorf("Not a core file", "%v", err)
	}
	return err
}

// A Core is the View of a core file.
type Core struct {
	*core.File
	Overrides *overrideOpener
	chosen    int // the current thread if it was chosen, else 0
}

// noMemory marks an error as ErrNoMemory.
type noMemory struct{ error }

// Is reports whether target is ErrNoMemory.
func (noMemory) Is(target error) bool { return target == ErrNoMemory }

// Unwrap returns the error that is marked.
func (e noMemory) Unwrap() error { return e.error }

// ReadMemory returns how many bytes could be read, and an error if not all
// could.
func (c *Core) ReadMemory(addr uint64, b []byte) (int, error) {
	n, err := c.File.ReadMemory(addr, b)
	if err != nil {
		err = noMemory{err}
	}
	return n, err
}

// CurrentThread returns the thread that the signal was for, unless another one
// was chosen.
func (c *Core) CurrentThread() (int, error) {
	if c.chosen != 0 {
		return c.chosen, nil
	}
	return c.Stop().Thread, nil
}

// SetCurrentThread chooses another thread.
func (c *Core) SetCurrentThread(id int) error {
	if _, err := c.File.Regs(id); err != nil {
		return err
	}
	c.chosen = id
	return nil
}

// Threads returns the threads of the process.
func (c *Core) Threads() ([]proc.ThreadInfo, error) {
	all := c.File.Threads()
	current, _ := c.CurrentThread() // there always is one
	for i := range all {
		all[i].Current = all[i].ID == current
	}
	return all, nil
}

// Regs returns the registers of a thread.
func (c *Core) Regs(thread int) (ptrace.Regs, error) { return c.File.Regs(c.thread(thread)) }

// XState returns the vector state of a thread.
func (c *Core) XState(thread int, buf []byte) ([]byte, error) {
	return c.File.XState(c.thread(thread), buf)
}

func (c *Core) thread(id int) int {
	if id == 0 {
		return c.chosen
	}
	return id
}

// Maps returns the mappings of the process.
func (c *Core) Maps() (procfs.Maps, error) { return c.File.Maps(), nil }
