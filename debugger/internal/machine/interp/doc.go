// Package interp executes x86-64 instructions in this process, on copies of the
// pages of another process: general instructions and vector instructions from SSE
// to AVX-512. That is hundreds of times faster than single-stepping. It reports
// the contents that each instruction overwrote.
//
//	m := interp.New(source)
//	m.UseVectors(vectorsOfProcess)
//	m.State = registers
//	for m.Step() {
//		record(m.Changed(), m.ChangedVectors(), m.Writes())
//	}
//	err := m.Flush(writeToProcess) // the next instruction is for the processor
//	stepProcess()
//	m.Refresh(addr, bytes) // what it wrote, as x86.Inst.Writes says
//	m.State = registers
//	m.InvalidateVectors()
//
// # What is left to the processor
//
// [Machine.Step] returns false before it changes anything if it does not know
// the instruction (everything that involves the kernel, segments or the x87
// stack), if this processor does not support it, if it may not read or write a
// page, and wherever the processor would raise an exception. The caller then lets
// the processor execute that one instruction.
//
// # Flags
//
// Flags that the manuals define equal the processor's; tests compare them.
// Flags that are undefined after an instruction differ between processors; here
// they stay unchanged or get the value that one processor gives them.
//
// # Floating point
//
// Results and the flags of MXCSR equal the processor's, bit for bit. To
// guarantee that, the processor executes operations on infinities, NaNs and
// denormal numbers, results that overflow or underflow, and everything while
// MXCSR unmasks exceptions or rounds other than to nearest.
//
// # Concurrency
//
// A Machine must be used by one goroutine at a time. The process whose pages it
// has copied must be stopped.
package interp
