package proc

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
)

// The debugger supports only 64-bit code. Stepping a 32-bit program would kill it.
const (
	cause32Bit = "it runs a 32-bit program, and only 64-bit programs (x86-64) can be debugged"
	cure32Bit  = "build the program for x86-64, or use gdb"
)

// is32Bit reports whether a process runs a 32-bit program. It returns false if the
// executable cannot be read.
func is32Bit(pid int) bool {
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
