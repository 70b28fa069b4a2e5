package x86

// Names of general registers by number.
var (
	names64 = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	names32 = [16]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"}
	names16 = [16]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"}
	names8  = [16]string{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"}
	// Without a REX prefix the numbers 4 to 7 are the second bytes.
	namesHigh = [4]string{"ah", "ch", "dh", "bh"}

	segmentNames = [8]string{"es", "cs", "ss", "ds", "fs", "gs", "?", "?"}
	fixedNames   = [...]string{fixedAL: "al", fixedCL: "cl", fixedDX: "dx", fixedOne: "1", fixedST0: "st", fixedXMM0: "xmm0", fixedAX: "ax"}
)

// keywords name widths of memory.
var keywords = [65]string{
	1: "byte", 2: "word", 4: "dword", 6: "fword", 8: "qword", 10: "tbyte",
	16: "xmmword", 32: "ymmword", 64: "zmmword",
}

// generalName names a general register of n bytes.
func (in *Inst) generalName(number uint8, n uint16) string {
	number &= 15
	switch n {
	case 1:
		if in.bits&(bitREX|bitVEX) == 0 && number&12 == 4 {
			return namesHigh[number&3]
		}
		return names8[number]
	case 2:
		return names16[number]
	case 4:
		return names32[number]
	}
	return names64[number]
}

// Predicates of floating-point comparisons. Legacy instructions have the first
// eight.
var fpPredicates = [32]string{
	"eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord",
	"eq_uq", "nge", "ngt", "false", "neq_oq", "ge", "gt", "true",
	"eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq", "nle_uq", "ord_s",
	"eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq", "true_us",
}

// intPredicates holds the names of integer predicates. Always and never have no
// name.
var intPredicates = [8]string{"eq", "lt", "le", "", "neq", "nlt", "nle", ""}

// roundings are the rounding modes of EVEX in the order of L'L.
var roundings = [4]string{"{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"}

// String returns the name of the register.
func (r Reg) String() string {
	switch {
	case r < 16:
		return names64[r]
	case r == RIP:
		return "rip"
	case r == FS, r == GS:
		return segmentName(r)
	}
	return "none"
}
