package core

import (
	"errors"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

var errNoVectors = errors.New("the core file has no vector registers of this thread")

// Where things are in struct elf_prpsinfo (include/linux/elfcore.h).
const (
	psPID      = 24
	psName     = 40
	psNameSize = 16
	psArgs     = 56
	psArgsSize = 80
	psSize     = psArgs + psArgsSize
)

// readPRPSInfo tells about the process as a whole.
func (f *File) readPRPSInfo(n note) error {
	b, err := n.contents(f.r, psSize, 1<<10)
	if err != nil {
		return err
	}
	info := field(b)
	f.pid = int(info.uint32(psPID))
	f.name, f.command = info.text(psName, psNameSize), info.text(psArgs, psArgsSize)
	return nil
}

func (f *File) readAuxv(n note) (err error) {
	f.auxv, err = n.contents(f.r, 0, maxAuxv)
	return err
}

// PID is the id of the process.
func (f *File) PID() int { return f.pid }

// Command is the command line of the process, cut to 80 bytes.
func (f *File) Command() string { return f.command }

// Executable is the path of the program, "" when the core file does not tell.
func (f *File) Executable() string {
	entry, _ := ptrace.Auxiliary(f.auxv, ptrace.AuxEntry)
	if p, ok := f.pieces.find(entry); ok {
		return p.path
	}
	return ""
}

// Signal is the signal that ended the process, 0 if it lived on, with what the kernel
// told about it; nil when it told nothing.
func (f *File) Signal() (syscall.Signal, *ptrace.SigInfo) {
	t := &f.threads[0]
	return syscall.Signal(t.signal), t.info
}

// Stop returns where the current thread was and why. A thread that no signal ended was
// paused.
func (f *File) Stop() proc.Stop {
	stop := proc.Stop{Why: proc.Paused, Thread: f.threads[0].id, Address: f.threads[0].regs.RIP}
	sig, info := f.Signal()
	if sig == 0 {
		return stop
	}
	stop.Why, stop.Signal = proc.Signalled, sig
	if info != nil {
		stop.Explain(*info)
	}
	return stop
}

// AuxV returns the auxiliary vector of the process, for ptrace.Auxiliary.
func (f *File) AuxV() []byte { return f.auxv }
