package inplace

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// follow executes the indirect branch at Regs.RIP. It returns false, with nothing
// changed, if the branch raises an exception.
func (r *Runner) follow() bool {
	var b [x86.MaxLen]byte
	n, _ := r.memory.Read(r.Regs.RIP, b[:])
	in, err := x86.Decode(b[:n], r.Regs.RIP)
	if err != nil {
		return false
	}
	target, ok := r.target(&in)
	if !ok || !canonical(target) {
		return false
	}
	switch {
	case in.Class.Is(x86.Return):
		r.Regs.RSP += 8 + uint64(in.Imm)
	case in.Class.Is(x86.Call):
		word := binary.LittleEndian.AppendUint64(nil, in.Next())
		if !r.code.writable(r.Regs.RSP-8, r.Regs.RSP) {
			return false // also if the stack must grow
		}
		if _, err := r.memory.Write(r.Regs.RSP-8, word); err != nil {
			return false
		}
		r.Regs.RSP -= 8
		r.noteOwn(r.Regs.RSP, 8)
	}
	r.Regs.RIP = target
	r.context().SetLeft(r.context().Left() - 1)
	return true
}

// target returns where an indirect branch leads.
func (r *Runner) target(in *x86.Inst) (uint64, bool) {
	regs := x86.Regs{FSBase: r.Regs.FSBase, GSBase: r.Regs.GSBase}
	for n, value := range generalRegisters(&r.Regs) {
		regs.GPR[n] = *value
	}
	target, loads, ok := in.BranchTarget(&regs)
	if !loads || !ok {
		return target, ok
	}
	var word [8]byte
	_, err := r.memory.Read(target, word[:])
	return binary.LittleEndian.Uint64(word[:]), err == nil
}

// canonical reports whether every processor can branch to an address. One with five-level
// paging can branch to others, too.
func canonical(addr uint64) bool { return uint64(int64(addr<<16)>>16) == addr }
