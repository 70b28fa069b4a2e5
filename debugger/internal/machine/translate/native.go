package translate

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// nativeClasses are the classes of instructions that are executed in their original
// place: they raise exceptions, need the kernel, or load the flags register with
// its trap flag.
const nativeClasses = x86.Trap | x86.Privileged | x86.PopFlags

// nativeNames lists further ones, whose results depend on more than registers and
// memory, or that load segment registers or use transactions.
var nativeNames = nameSet(
	"cpuid", "rdtsc", "rdtscp", "rdpmc", "rdpru", "rdpid", "rdrand", "rdseed", "xgetbv",
	"sgdt", "sidt", "sldt", "str", "smsw", "lar", "lsl", "verr", "verw",
	"int", "sysenter", "callf", "jmpf", "retf", "retfq", "iret", "iretw", "iretq", "getsec",
	"monitorx", "mwaitx", "umonitor", "umwait", "tpause", "clui", "stui", "testui", "uiret", "senduipi",
	"enter", // when it faults, it has already written what it would read again
	"xbegin", "xabort", "xend", "xtest", "xsusldtrk", "xresldtrk",
	"vmcall", "vmmcall", "vmfunc", "enclu", "rstorssp", "saveprevssp", "incsspd", "incsspq",
	"wrssd", "wrssq", "enqcmd", "enqcmds", "movdir64b",
)

// copyable lists those of them that do the same everywhere.
var copyable = nameSet("cpuid", "rdtsc", "rdtscp", "rdpid", "rdrand", "rdseed", "xgetbv")

// Copyable reports whether a block may have a copy of an instruction, though it is one that
// is executed in its original place otherwise.
func Copyable(in *x86.Inst) bool { return copyable[in.Name()] && !in.Locked() }

// mayBeNamed reports whether an instruction may be one of nativeNames, without the time
// that its name takes.
func mayBeNamed(s *shape) bool {
	switch {
	case s.escape == 0:
		return namedOpcodes[s.opcode]
	case s.escape == 0x0f && s.code[s.modRM-2] == 0x0f:
		return namedOpcodes0F[s.opcode]
	}
	return s.escape == 0x0f
}

// The opcodes of nativeNames without 0f and with it. Those with 0f 38 and 0f 3a have no list.
var (
	namedOpcodes   = opcodeSet(0x9a, 0xc6, 0xc7, 0xc8, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xea, 0xff)
	namedOpcodes0F = opcodeSet(0x00, 0x01, 0x02, 0x03, 0x31, 0x33, 0x34, 0x37, 0xa2, 0xae, 0xc7)
)

func opcodeSet(opcodes ...byte) (set [256]bool) {
	for _, b := range opcodes {
		set[b] = true
	}
	return set
}

func nameSet(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// isNative reports whether the processor must execute the instruction in its
// original place.
func isNative(in *x86.Inst, code []byte) bool {
	branch, s := in.Class&branches != 0, shapeOf(code)
	switch {
	case in.Class&nativeClasses != 0, mayBeNamed(&s) && nativeNames[in.Name()]:
		return true
	case branch && (in.Class.Is(x86.Barrier) || in.Locked()): // operand size 16, on which processors differ; invalid
		return true
	case isRelative(in) && (in.Addr32() || branch && in.Mem.Seg != x86.NoReg):
		return true
	}
	return s.escape == 0 && s.opcode == 0x8e || // mov to a segment register
		s.escape == 0x0f && (s.opcode == 0xa1 || s.opcode == 0xa9) && !in.Class.Is(x86.Memory) // pop fs, pop gs
}

// isSyscall reports whether an instruction is syscall.
func isSyscall(in *x86.Inst) bool { return in.Class.Is(x86.Syscall) && in.Name() == "syscall" }

// writesBase reports whether an instruction is wrfsbase or wrgsbase.
func writesBase(in *x86.Inst, code []byte) bool {
	const opcode, prefix, shortest = 0xae, 0xf3, 4
	if len(code) < shortest || !slices.Contains(code, prefix) {
		return false
	}
	if s := shapeOf(code); s.escape != 0x0f || s.opcode != opcode {
		return false
	}
	name := in.Name()
	return name == "wrfsbase" || name == "wrgsbase"
}
