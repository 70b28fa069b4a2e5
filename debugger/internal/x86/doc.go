// Package x86 decodes the instructions of x86-64 in 64-bit mode: where they
// end, how they are written, and which memory they read and write. A recorder
// that undoes steps learns from it which bytes to save before a step.
//
//	in, err := x86.Decode(code, pc)
//	if err != nil || in.Class.Is(x86.Barrier) {
//		// take a snapshot: nothing may be assumed
//	}
//	for _, span := range in.Writes(spans[:0], &regs, x86.OneIteration) {
//		save(span)
//	}
//	fmt.Println(in.Text(symbolize)) // mov rax, [rbx+8]
//
// Everything is a pure function over bytes and registers: nothing is read from
// a process, nothing is kept, and any goroutine may call anything.
//
// # Tables
//
// The opcode maps are data (map_*.go, groups*.go): a row has the name, the
// operands as the processor manuals abbreviate them, and what is out of the
// ordinary. Rows of SSE serve VEX and EVEX too, which add an operand and a v;
// decode.go says how a row is found.
//
// # Never a guess
//
// An opcode that is in no table is [ErrUnknown], even where its length is
// certain; the class is [Barrier] then. An instruction is taken to write its
// first operand unless its row says otherwise, so that a mistake in a row costs
// time and not memory. Encodings that the processor refuses may be accepted:
// they raise an exception and write nothing.
package x86
