package cpuid

// An Answer holds the registers that the CPUID instruction sets.
type Answer struct{ EAX, EBX, ECX, EDX uint32 }

// extended is the first of the leaves that AMD began.
const extended = 0x80000000

// Leaf returns an answer, zero if the processor has no such leaf.
func Leaf(leaf, subleaf uint32) Answer {
	most, _, _, _ := cpuid(leaf&extended, 0)
	if leaf > most {
		return Answer{}
	}
	var a Answer
	a.EAX, a.EBX, a.ECX, a.EDX = cpuid(leaf, subleaf)
	return a
}
