package inspect

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
)

// A Register describes a general or segment register.
type Register struct {
	Name  string
	dwarf int // DWARF number, -1 if it has none
	size  int // bytes
	Get   func(*ptrace.Regs) uint64
	Kind  RegisterKind
}

// A RegisterKind tells in which lists a register appears.
type RegisterKind uint8

// The kinds of registers.
const (
	General RegisterKind = iota
	Segment
	Part // of a general register, or another name of one: in no list
)

// Registers are all that can be named in expressions, in the order in which
// they are shown.
var Registers = []Register{
	{"rax", dwarfregs.RAX, 8, func(r *ptrace.Regs) uint64 { return r.RAX }, General},
	{"rbx", dwarfregs.RBX, 8, func(r *ptrace.Regs) uint64 { return r.RBX }, General},
	{"rcx", dwarfregs.RCX, 8, func(r *ptrace.Regs) uint64 { return r.RCX }, General},
	{"rdx", dwarfregs.RDX, 8, func(r *ptrace.Regs) uint64 { return r.RDX }, General},
	{"rsi", dwarfregs.RSI, 8, func(r *ptrace.Regs) uint64 { return r.RSI }, General},
	{"rdi", dwarfregs.RDI, 8, func(r *ptrace.Regs) uint64 { return r.RDI }, General},
	{"rbp", dwarfregs.RBP, 8, func(r *ptrace.Regs) uint64 { return r.RBP }, General},
	{"rsp", dwarfregs.RSP, 8, func(r *ptrace.Regs) uint64 { return r.RSP }, General},
	{"r8", dwarfregs.R8, 8, func(r *ptrace.Regs) uint64 { return r.R8 }, General},
	{"r9", dwarfregs.R9, 8, func(r *ptrace.Regs) uint64 { return r.R9 }, General},
	{"r10", dwarfregs.R10, 8, func(r *ptrace.Regs) uint64 { return r.R10 }, General},
	{"r11", dwarfregs.R11, 8, func(r *ptrace.Regs) uint64 { return r.R11 }, General},
	{"r12", dwarfregs.R12, 8, func(r *ptrace.Regs) uint64 { return r.R12 }, General},
	{"r13", dwarfregs.R13, 8, func(r *ptrace.Regs) uint64 { return r.R13 }, General},
	{"r14", dwarfregs.R14, 8, func(r *ptrace.Regs) uint64 { return r.R14 }, General},
	{"r15", dwarfregs.R15, 8, func(r *ptrace.Regs) uint64 { return r.R15 }, General},
	{"rip", dwarfregs.RIP, 8, func(r *ptrace.Regs) uint64 { return r.RIP }, General},
	{"eflags", -1, 4, func(r *ptrace.Regs) uint64 { return r.EFlags }, General},
	{"fs_base", dwarfregs.FSBase, 8, func(r *ptrace.Regs) uint64 { return r.FSBase }, General},
	{"gs_base", -1, 8, func(r *ptrace.Regs) uint64 { return r.GSBase }, General},
	{"cs", -1, 2, func(r *ptrace.Regs) uint64 { return r.CS }, Segment},
	{"ss", -1, 2, func(r *ptrace.Regs) uint64 { return r.SS }, Segment},
	{"ds", -1, 2, func(r *ptrace.Regs) uint64 { return r.DS }, Segment},
	{"es", -1, 2, func(r *ptrace.Regs) uint64 { return r.ES }, Segment},
	{"fs", -1, 2, func(r *ptrace.Regs) uint64 { return r.FS }, Segment},
	{"gs", -1, 2, func(r *ptrace.Regs) uint64 { return r.GS }, Segment},
	{"eax", dwarfregs.RAX, 4, func(r *ptrace.Regs) uint64 { return r.RAX }, Part},
	{"ebx", dwarfregs.RBX, 4, func(r *ptrace.Regs) uint64 { return r.RBX }, Part},
	{"ecx", dwarfregs.RCX, 4, func(r *ptrace.Regs) uint64 { return r.RCX }, Part},
	{"edx", dwarfregs.RDX, 4, func(r *ptrace.Regs) uint64 { return r.RDX }, Part},
	{"esi", dwarfregs.RSI, 4, func(r *ptrace.Regs) uint64 { return r.RSI }, Part},
	{"edi", dwarfregs.RDI, 4, func(r *ptrace.Regs) uint64 { return r.RDI }, Part},
	{"pc", dwarfregs.RIP, 8, func(r *ptrace.Regs) uint64 { return r.RIP }, Part},
	{"sp", dwarfregs.RSP, 8, func(r *ptrace.Regs) uint64 { return r.RSP }, Part},
	{"fp", dwarfregs.RBP, 8, func(r *ptrace.Regs) uint64 { return r.RBP }, Part},
}

// registerByName returns a register, nil if there is none of the name.
func registerByName(name string) *Register {
	for i := range Registers {
		if Registers[i].Name == name {
			return &Registers[i]
		}
	}
	return nil
}

// RegisterName returns the name of a general register by its DWARF number.
func RegisterName(dwarf uint64) (string, bool) {
	for i := range Registers {
		if row := &Registers[i]; row.dwarf >= 0 && uint64(row.dwarf) == dwarf && row.Kind == General {
			return row.Name, true
		}
	}
	return "", false
}
