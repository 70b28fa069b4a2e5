// Package callstack walks the stack of a stopped thread and finds the variables of
// its frames.
//
//	frames, err := callstack.Unwind(program, regs, memory, 20)
//	for _, f := range frames {
//		fmt.Println(f)
//	}
//	vars := frames[0].Variables()
//
// A caller's registers are found by the first of these that applies
// (activation.unwind): the kernel's signal frame, Go's runtime where call frame
// information is silent (go_stack.go), call frame information (unwind.go), and at
// last the frame pointer. A frame that was found by the last has [Frame.Guessed]
// set. Functions that were inlined have frames of their own.
//
// What a register held on entry to a function is taken from what the caller's
// debug information tells about the call (entryvalue.go).
//
// # Concurrency
//
// Frames of one Unwind share what they find out about their callers: they must be
// used from one goroutine at a time. They are good until the program runs on.
package callstack
