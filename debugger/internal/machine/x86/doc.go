// Package x86 decodes the instructions of x86-64 in 64-bit mode: their length,
// their text, and the memory that they read and write. A recorder that undoes
// steps uses it to save the bytes that a step will overwrite.
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
// All functions are pure functions of bytes and registers. They may be called from
// any goroutine.
//
// # Tables
//
// The opcode maps are data (map_*.go, groups*.go): a row has the name, the
// operands as the processor manuals abbreviate them, and exceptions from the
// rules. Rows of SSE serve VEX and EVEX too, which add an operand and a v to the
// name; decode.go describes the search for a row.
//
// # Never a guess
//
// An opcode that is in no table is [ErrUnknown], even where its length is
// certain; the class is [Barrier] then. An instruction is taken to write its
// first operand unless its row says otherwise, so that a mistake in a row costs
// time and not memory. Encodings that the processor refuses may be accepted:
// they raise an exception and write nothing.
package x86
