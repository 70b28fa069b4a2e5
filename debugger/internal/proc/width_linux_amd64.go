package proc

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
)

// The instructions, system calls and registers of a 32-bit program are not those
// that this debugger knows, so stepping it as 64-bit code would kill it.
const (
	narrowCause = "it runs a 32-bit program, and only 64-bit programs (x86-64) can be debugged"
	narrowCure  = "build the program for x86-64, or use gdb"
)

// narrow reports whether the program that a process runs is a 32-bit one. It
// reports false if the executable cannot be read.
func narrow(pid int) bool {
	f, err := os.Open(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	var ident [elf.EI_NIDENT]byte
	if _, err := io.ReadFull(f, ident[:]); err != nil || string(ident[:4]) != elf.ELFMAG {
		return false
	}
	return elf.Class(ident[elf.EI_CLASS]) == elf.ELFCLASS32
}

// wide returns a *PermissionError if the process has begun a 32-bit program since
// it was attached to.
func (p *Process) wide() error {
	if p.narrow {
		return &PermissionError{PID: p.pid, Cause: narrowCause, Cure: narrowCure}
	}
	return nil
}
