package inspect

import (
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
)

// A Register is a register by its name.
type Register struct {
	Name  string
	dwarf int // its number in frames, -1 when they do not know it
	size  int // bytes
	Get   func(*ptrace.Regs) uint64
	Part  bool // a part of another one, which lists leave out
}

// Registers are in the order in which they are shown.
var Registers = []Register{
	{"rax", dwarfregs.RAX, 8, func(r *ptrace.Regs) uint64 { return r.RAX }, false},
	{"rbx", dwarfregs.RBX, 8, func(r *ptrace.Regs) uint64 { return r.RBX }, false},
	{"rcx", dwarfregs.RCX, 8, func(r *ptrace.Regs) uint64 { return r.RCX }, false},
	{"rdx", dwarfregs.RDX, 8, func(r *ptrace.Regs) uint64 { return r.RDX }, false},
	{"rsi", dwarfregs.RSI, 8, func(r *ptrace.Regs) uint64 { return r.RSI }, false},
	{"rdi", dwarfregs.RDI, 8, func(r *ptrace.Regs) uint64 { return r.RDI }, false},
	{"rbp", dwarfregs.RBP, 8, func(r *ptrace.Regs) uint64 { return r.RBP }, false},
	{"rsp", dwarfregs.RSP, 8, func(r *ptrace.Regs) uint64 { return r.RSP }, false},
	{"r8", dwarfregs.R8, 8, func(r *ptrace.Regs) uint64 { return r.R8 }, false},
	{"r9", dwarfregs.R9, 8, func(r *ptrace.Regs) uint64 { return r.R9 }, false},
	{"r10", dwarfregs.R10, 8, func(r *ptrace.Regs) uint64 { return r.R10 }, false},
	{"r11", dwarfregs.R11, 8, func(r *ptrace.Regs) uint64 { return r.R11 }, false},
	{"r12", dwarfregs.R12, 8, func(r *ptrace.Regs) uint64 { return r.R12 }, false},
	{"r13", dwarfregs.R13, 8, func(r *ptrace.Regs) uint64 { return r.R13 }, false},
	{"r14", dwarfregs.R14, 8, func(r *ptrace.Regs) uint64 { return r.R14 }, false},
	{"r15", dwarfregs.R15, 8, func(r *ptrace.Regs) uint64 { return r.R15 }, false},
	{"rip", dwarfregs.RIP, 8, func(r *ptrace.Regs) uint64 { return r.RIP }, false},
	{"eflags", -1, 4, func(r *ptrace.Regs) uint64 { return r.EFlags }, false},
	{"fs_base", dwarfregs.FSBase, 8, func(r *ptrace.Regs) uint64 { return r.FSBase }, false},
	{"gs_base", -1, 8, func(r *ptrace.Regs) uint64 { return r.GSBase }, false},
	{"eax", dwarfregs.RAX, 4, func(r *ptrace.Regs) uint64 { return r.RAX }, true},
	{"ebx", dwarfregs.RBX, 4, func(r *ptrace.Regs) uint64 { return r.RBX }, true},
	{"ecx", dwarfregs.RCX, 4, func(r *ptrace.Regs) uint64 { return r.RCX }, true},
	{"edx", dwarfregs.RDX, 4, func(r *ptrace.Regs) uint64 { return r.RDX }, true},
	{"esi", dwarfregs.RSI, 4, func(r *ptrace.Regs) uint64 { return r.RSI }, true},
	{"edi", dwarfregs.RDI, 4, func(r *ptrace.Regs) uint64 { return r.RDI }, true},
	{"pc", dwarfregs.RIP, 8, func(r *ptrace.Regs) uint64 { return r.RIP }, true},
	{"sp", dwarfregs.RSP, 8, func(r *ptrace.Regs) uint64 { return r.RSP }, true},
	{"fp", dwarfregs.RBP, 8, func(r *ptrace.Regs) uint64 { return r.RBP }, true},
}

// registerByName finds a register, nil when there is none.
func registerByName(name string) *Register {
	for i := range Registers {
		if Registers[i].Name == name {
			return &Registers[i]
		}
	}
	return nil
}
