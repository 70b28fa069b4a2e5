package inplace

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// follow executes the indirect branch at Regs.RIP. It returns false, with nothing
// changed, if the branch raises an exception.
func (tr *translated) follow() bool {
	var b [x86.MaxLen]byte
	n, _ := tr.runner.memory.Read(tr.runner.Regs.RIP, b[:])
	in, err := x86.Decode(b[:n], tr.runner.Regs.RIP)
	if err != nil {
		return false
	}
	target, ok := tr.target(&in)
	if !ok || !canonical(target) {
		return false
	}
	switch {
	case in.Class.Is(x86.Return):
		tr.runner.Regs.RSP += 8 + uint64(in.Imm)
	case in.Class.Is(x86.Call):
		word := binary.LittleEndian.AppendUint64(nil, in.Next())
		if !tr.runner.space.code.writable(tr.runner.Regs.RSP-8, tr.runner.Regs.RSP) {
			return false // also if the stack must grow
		}
		if _, err := tr.runner.memory.Write(tr.runner.Regs.RSP-8, word); err != nil {
			return false
		}
		tr.runner.Regs.RSP -= 8
		tr.runner.Watch.noteOwn(tr.runner.Regs.RSP, 8)
	}
	tr.runner.Regs.RIP = target
	tr.runner.space.context().SetLeft(tr.runner.space.context().Left() - 1)
	return true
}

// target returns where an indirect branch leads.
func (tr *translated) target(in *x86.Inst) (uint64, bool) {
	regs := tr.runner.addressing()
	target, loads, ok := in.BranchTarget(&regs)
	if !loads || !ok {
		return target, ok
	}
	var word [8]byte
	_, err := tr.runner.memory.Read(target, word[:])
	return binary.LittleEndian.Uint64(word[:]), err == nil
}

// canonical reports whether every processor can branch to an address. One with five-level
// paging can branch to others, too.
func canonical(addr uint64) bool { return uint64(int64(addr<<16)>>16) == addr }
