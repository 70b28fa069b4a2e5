package inspect

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Fault returns the address that a stop's signal is about, and how a text
// tells it; both are "" for other signals. For a non-canonical address the
// kernel reports si_addr 0, which looks like a null pointer; the address is
// then taken from the registers.
func (s *Inspector) Fault(stop proc.Stop) (address, text string) {
	switch {
	case stop.About():
		address = plain.Hex(stop.Fault)
		return address, ", which is about the address " + address
	case !stop.Refused():
		return "", ""
	}
	for _, addr := range s.addressesUsed(stop.Thread) {
		if !canonical(addr) {
			address = plain.Hex(addr)
			return address, ", which is about the address " + address + ", where no memory can be (it is not canonical)"
		}
	}
	return "", ", which the processor raised without an address"
}

// canonical reports whether the upper bits of an address repeat bit 47, as the
// processor requires. With five-level paging it requires less, but then raises
// page faults, with addresses, for the others.
func canonical(addr uint64) bool {
	const unused = 64 - 48
	return uint64(int64(addr<<unused)>>unused) == addr
}

// addressesUsed returns the addresses that the next instruction of a thread
// uses, as far as registers tell them.
func (s *Inspector) addressesUsed(thread int) []uint64 {
	regs, err := s.Target.View.Regs(thread)
	if err != nil {
		return nil
	}
	var r x86.Regs
	history.Addressing(&regs, &r)
	in := s.Instruction(regs.RIP)
	found := []uint64{regs.RIP}
	if in.Len == 0 {
		return found
	}
	if in.Class&(x86.Memory|x86.Vector) == x86.Memory {
		found = append(found, in.Addr(&r))
	}
	for _, span := range in.Writes(nil, &r, x86.OneIteration) {
		found = append(found, span.Addr)
	}
	if in.Class.Is(x86.Repeat) {
		found = append(found, regs.RDI, regs.RSI) // in this order: some use the first one only
	}
	return append(found, s.branchTargets(&in, &r)...)
}

// branchTargets returns the target of a branch, after the address it is loaded
// from, if any.
func (s *Inspector) branchTargets(in *x86.Inst, r *x86.Regs) []uint64 {
	addr, loads, ok := in.BranchTarget(r)
	var b [8]byte
	switch {
	case !ok:
		return nil
	case !loads:
		return []uint64{addr}
	}
	if _, err := s.Target.View.ReadMemory(addr, b[:]); err != nil {
		return []uint64{addr}
	}
	return []uint64{addr, binary.LittleEndian.Uint64(b[:])}
}
