package target

import (
	"errors"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// OpenCore reads a core file. The program is looked for where it was unless
// somebody says where it is.
func OpenCore(file *os.File, where Overrides) (*Core, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	instead, err := openOverrides(where)
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
	return &Core{File: f, Overrides: instead}, nil
}

// wrongCore is for files of other kinds.
func wrongCore(err error) error {
	if errors.Is(err, core.ErrFormat) {
		return failure.Errorf("Not a core file", "%v", err)
	}
	return err
}

// A Core is a core file as tools look at it.
type Core struct {
	*core.File
	Overrides *overrideOpener
	chosen    int // the current thread if somebody chose it, else 0
}

// noMemory is an error about memory that is not there.
type noMemory struct{ error }

// Is makes it one for who asks.
func (noMemory) Is(target error) bool { return target == ErrNoMemory }

// Unwrap is what it is made of.
func (e noMemory) Unwrap() error { return e.error }

// ReadMemory returns how many bytes could be read.
func (c *Core) ReadMemory(addr uint64, b []byte) (int, error) {
	n, err := c.File.ReadMemory(addr, b)
	if err != nil {
		err = noMemory{err}
	}
	return n, err
}

// CurrentThread is the one that the signal was for, unless another one was
// chosen.
func (c *Core) CurrentThread() (int, error) {
	if c.chosen != 0 {
		return c.chosen, nil
	}
	return c.Stop().Thread, nil
}

// SetCurrentThread chooses another one.
func (c *Core) SetCurrentThread(id int) error {
	if _, err := c.File.Regs(id); err != nil {
		return err
	}
	c.chosen = id
	return nil
}

// Threads are those of the process.
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

// Maps are the ranges of memory.
func (c *Core) Maps() (proc.Maps, error) { return c.File.Maps(), nil }
