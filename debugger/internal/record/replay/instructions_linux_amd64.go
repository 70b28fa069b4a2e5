package replay

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// inputs lists the instructions whose results are inputs.
var inputs = map[string]bool{
	"cpuid": true, "rdtsc": true, "rdtscp": true, "rdpmc": true, "rdpru": true, "rdpid": true, "rdrand": true,
	"rdseed": true, "xgetbv": true, "str": true, "smsw": true, "lsl": true, "lar": true, "sldt": true,
	"umwait": true, "tpause": true, "xbegin": true,
}

// IsInput reports whether the result of an instruction is an input.
func IsInput(in *x86.Inst) bool { return inputs[in.Name()] }

// Deterministic reports whether registers and memory determine what a native
// instruction does.
func Deterministic(in *x86.Inst) bool {
	switch {
	case IsInput(in), entersKernel(in), loadsSegment(in):
		return false
	case in.Class.Is(x86.Barrier) || in.Class.Is(x86.Privileged):
		return in.Class.Is(x86.Privileged) // it raises an exception
	}
	return true
}

// loadsSegment reports whether an instruction may load ss. After that the processor
// executes another instruction before a step ends.
func loadsSegment(in *x86.Inst) bool {
	return in.Name() == "mov" && in.Operand(0).Kind == x86.Elsewhere && !in.Class.Is(x86.Privileged)
}

// entersKernel reports whether an instruction makes a system call, in another way than
// syscall does.
func entersKernel(in *x86.Inst) bool {
	return in.Name() == "int" || in.Name() == "sysenter" || in.Class.Is(x86.Syscall)
}

// NextInstruction decodes the instruction at the program counter.
func NextInstruction(r *inplace.Runner) (x86.Inst, error) {
	var b [x86.MaxLen]byte
	n, _ := r.Memory().Read(r.Regs.RIP, b[:])
	return x86.Decode(b[:n], r.Regs.RIP)
}

// VectorState returns the vector state of a thread.
func VectorState(tracer *ptrace.Tracer, tid int) ([]byte, error) {
	b := make([]byte, recfile.MaxVector)
	n, err := tracer.XState(tid, b)
	return b[:n:n], err
}

// Pin binds the tracer's thread, and processes that it starts from then on, to the
// processor that it runs on. Stops cost a fifth of what they cost across processors.
func Pin(tracer *ptrace.Tracer) error {
	cpu := uint32(0)
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return errno
	}
	return tracer.Pin(int(cpu))
}
