package x86

import "strings"

// A MemoryUse says how an instruction uses memory at one address, that of its operand, or at the
// addresses in rdi and rsi if it is a string operation.
type MemoryUse struct {
	Size        uint64 // bytes; of a string operation, those of an element
	Write       bool   // of the operand; otherwise it is only read
	Atomic      bool   // it is read and written at once: the processor locks it
	Source      bool   // a string operation, which reads at rsi
	Destination bool   // a string operation, which uses memory at rdi, and writes it if Write is true
	Repeat      bool   // a string operation, as often as rcx says
}

// unused are instructions whose memory operand they do not access, or whose access is none of the
// program's data.
var unused = map[string]bool{
	"lea": true, "nop": true, "clflush": true, "clflushopt": true, "clwb": true, "cldemote": true, "invlpg": true, "bndmk": true,
}

// Uses returns how the instruction uses ordinary memory, and false if it uses none, or if its
// address is not simple: of branches, pushes and pops, in a segment, of 32 bits, in vectors of
// indexes, of a bit in a string of bits, and of no fixed size.
func (in *Inst) Uses() (MemoryUse, bool) {
	if in.row == nil || in.Class&(Jump|Call|Return|Syscall|Trap|Vector|Barrier|Privileged) != 0 || in.Addr32() {
		return MemoryUse{}, false
	}
	if use := in.stringUse(); use.Source || use.Destination {
		return use, in.Mem.Seg == NoReg
	}
	name := in.Name()
	simple := in.Class&Memory != 0 && in.Mem.Seg == NoReg && in.Mem.Size != 0 && in.row.attr&(popsMem|bitString) == 0
	if !simple || unused[name] || strings.HasPrefix(name, "prefetch") {
		return MemoryUse{}, false
	}
	write := in.Class&Store != 0 && in.row.attr&pushes == 0
	return MemoryUse{Size: uint64(in.Mem.Size), Write: write, Atomic: in.Locked() || name == "xchg"}, true
}

// stringUse returns the use of memory by a string operation.
func (in *Inst) stringUse() MemoryUse {
	use := MemoryUse{Repeat: in.Class&Repeat != 0}
	for n := range 2 {
		switch o := in.Operand(n); o.Kind {
		case Source:
			use.Source, use.Size = true, uint64(o.Size)
		case Destination:
			use.Destination, use.Size = true, uint64(o.Size)
			use.Write = use.Write || in.Class&Store != 0
		}
	}
	return use
}
