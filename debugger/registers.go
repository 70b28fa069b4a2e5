package debugger

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
	"github.com/triptych-mcp/triptych/mcp"
)

// A registerRow is a register by its name.
type registerRow struct {
	name  string
	dwarf int // its number in frames, -1 when they do not know it
	size  int // bytes
	get   func(*ptrace.Regs) uint64
	short bool // a part of another one, which lists leave out
}

// registerRows are in the order in which they are shown.
var registerRows = []registerRow{
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
func registerByName(name string) *registerRow {
	for i := range registerRows {
		if registerRows[i].name == name {
			return &registerRows[i]
		}
	}
	return nil
}

type registersArgs struct {
	Thread int `json:"thread,omitempty" min:"1" doc:"The thread, by its id; the current one if not given"`
	Frame  int `json:"frame,omitempty" min:"0" max:"10000" doc:"The frame, by its number in the stack trace"`
	sessionArg
}

// registers is the answer of registers.
type registers struct {
	State     state          `json:"state"`
	Registers []registerItem `json:"registers"`
}

// A registerItem is a register as answers have it.
type registerItem struct {
	Name  string `json:"name"`
	Value string `json:"value" doc:"In hexadecimal"`
	Place string `json:"place,omitempty" doc:"What the value is the address of"`
}

// Text is a line for each register.
func (r registers) Text() string {
	var b strings.Builder
	b.WriteString("Registers:")
	for _, each := range r.Registers {
		fmt.Fprintf(&b, "\n  %-7s = %s", each.Name, each.Value)
		if each.Place != "" {
			fmt.Fprintf(&b, " <%s>", plain(each.Place))
		}
	}
	return b.String()
}

func (t *lookGroup) registers(_ context.Context, _ *mcp.Call, s *session, args registersArgs) (registers, error) {
	scope, err := s.scope(args.Thread, args.Frame)
	if err != nil {
		return registers{}, err
	}
	answer := registers{State: s.tell()}
	for _, row := range registerRows {
		if row.short {
			continue
		}
		value, _, err := scope.Register(row.name)
		if err != nil {
			continue // it is not known in this frame
		}
		answer.Registers = append(answer.Registers, registerItem{row.name, hexadecimal(value), s.symbol(value)})
	}
	return answer, nil
}

// symbol is the function or variable that an address is in, with how far; "" when
// it is in none.
func (s *inspector) symbol(addr uint64) string {
	name, off, ok := s.symbolize(addr)
	switch {
	case !ok:
		return ""
	case off == 0:
		return name
	}
	return fmt.Sprintf("%s+%#x", name, off)
}

// symbolize names an address of code or data for the disassembler. Compilers
// put the parts of a function that are seldom run elsewhere; the distance of one
// before its function is in the name.
func (s *inspector) symbolize(addr uint64) (string, uint64, bool) {
	f, ok := s.program.Function(addr)
	switch {
	case !ok || f.Name == "":
		return s.program.Variable(addr)
	case f.Offset < 0:
		return fmt.Sprintf("%s%+#x", f.Name, f.Offset), 0, true
	}
	return f.Name, uint64(f.Offset), true
}
