package x86

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/cpuid"
)

// A Processor tells what instructions do where processors differ, other than by the
// extensions that they have. Results that the manuals call undefined are not part of it.
type Processor struct {
	Maker string // the name in CPUID, leaf 0

	// Known is false for makers whose processors were not examined. What the other fields say
	// of them must not be relied on.
	Known bool

	// KeepsFlags reports whether a single step of a repeated scas or cmps, after which
	// further iterations follow, shows the flags from before it. If not, it shows those of
	// the comparison. Intel's manual, volume 2, REP: flags are restored to the state prior to
	// the instruction if an iteration faults, as none reads them. Measured on an Intel Xeon of
	// family 6 with AMX and on an AMD EPYC, of either prefix.
	KeepsFlags bool

	// Pauses reports whether 90 with the prefixes F3 and REX.B is pause. If not, it is xchg
	// with r8, as without F3. Intel's manual, volume 2, PAUSE; AMD's, volume 3, XCHG and PAUSE;
	// measured on the same processors.
	Pauses bool

	// FastLoop reports whether loop takes as long as other jumps. That is so since 2011 on
	// AMD's processors; those of Intel need several times as long (Agner Fog, Instruction
	// tables).
	FastLoop bool
}

// The processors of which the differences are known. Those of Hygon are AMD's in design.
var (
	Intel = Processor{Maker: "GenuineIntel", Known: true, KeepsFlags: true, Pauses: true}
	AMD   = Processor{Maker: "AuthenticAMD", Known: true, FastLoop: true}
	Hygon = Processor{Maker: "HygonGenuine", Known: true, FastLoop: true}
)

var machine = ProcessorOf(cpuid.Leaf)

// Machine returns the processor that this program runs on.
func Machine() Processor { return machine }

// ProcessorOf returns the processor that CPUID describes.
func ProcessorOf(leaf func(leaf, subleaf uint32) cpuid.Answer) Processor {
	a := leaf(0, 0)
	var name []byte
	for _, r := range []uint32{a.EBX, a.EDX, a.ECX} {
		name = binary.LittleEndian.AppendUint32(name, r)
	}
	for _, p := range []Processor{Intel, AMD, Hygon} {
		if p.Maker == string(name) {
			return p
		}
	}
	return Processor{Maker: string(name)}
}
