// Package interp executes instructions of x86-64 in this process, over copies of
// the pages of another: the general ones, and those on vectors, from SSE to
// AVX-512. That is hundreds of times faster than single-stepping. It reports the
// contents that each instruction overwrote.
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
// # Never a guess
//
// [Machine.Step] gives up before it changes anything: at an instruction that it
// does not know (everything that touches the kernel, segments or the x87 stack),
// or that this processor does not have, at a page that it may not read or write,
// and wherever the processor would raise an exception. The processor then does
// that one instruction.
//
// # Flags
//
// Flags that the manuals define are as on the processor; tests ask it. Of those
// that are undefined after an instruction, processors make different things;
// here they stay as they were, or become what one of them makes of them.
//
// # Floating point
//
// Results and the flags of MXCSR equal the processor's, bit for bit. To be sure
// of that, numbers that are not ordinary (infinities, not-a-numbers, denormal
// ones), overflow and underflow, and every MXCSR that rounds otherwise than to
// nearest or unmasks exceptions, are left to the processor.
//
// # Concurrency
//
// A Machine belongs to one goroutine. The process whose pages it has copied must
// stand still.
package interp
