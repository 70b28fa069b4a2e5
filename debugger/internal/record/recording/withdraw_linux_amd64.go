package recording

import (
	"bytes"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// interruptible lists the system calls that write memory when they are interrupted.
var interruptible = map[uint64]bool{
	unix.SYS_POLL: true, unix.SYS_PPOLL: true, unix.SYS_SELECT: true, unix.SYS_PSELECT6: true,
	unix.SYS_NANOSLEEP: true, unix.SYS_CLOCK_NANOSLEEP: true, unix.SYS_RESTART_SYSCALL: true,
}

// withdraw withdraws the system call of the current thread, and returns false if it has
// returned.
func (a *adjuster) withdraw(c *call) (bool, error) {
	done, err := a.log.run.Withdraw()
	if !done || err != nil {
		return done, err
	}
	if err := a.effects.checkUnknown(c); err != nil {
		return false, err
	}
	for _, w := range c.changed {
		now := make([]byte, len(w.Data))
		if _, err := a.log.run.Memory().Read(w.Address, now); err != nil {
			return false, err
		}
		if !bytes.Equal(now, w.Data) {
			if w.Address == c.timeoutAt() { // others may change the rest meanwhile
				c.meanwhile = append(c.meanwhile, recfile.Write{Address: w.Address, Data: now})
			}
			if err := a.log.put(w); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// returnAltered gives the current thread the registers that it would have if its call had
// not been altered.
func (a *adjuster) returnAltered(c *call) error {
	if a.log.run.Inside() {
		if _, err := a.log.run.Execute(); err != nil {
			return err
		}
	}
	a.log.run.Regs.RDI, a.log.run.Regs.RDX, a.log.run.Regs.R10 = c.regs.RDI, c.regs.RDX, c.regs.R10
	return nil
}
