// Package calltrace describes calls in the recorded history of a target: what
// one call did line by line, and which functions called which.
//
//	trace, err := calltrace.Trace(ctx, stepper, calltrace.Query{Function: "store", Nth: 2})
//	tree, err := calltrace.Calls(ctx, stepper, from, to)
//
// # How calls are found
//
// A walk follows the records of one thread by program counter and stack pointer
// alone (history.History.Transitions), which costs some ten nanoseconds a step.
// It keeps a shadow stack: a call instruction pushes an activation with the
// address of its return address, and an activation is gone when the stack
// pointer is above that address, whether by a return, an exception or longjmp.
// A jump to the start of a function with the return address on top is a tail
// call, or a stub of the linker. Signal handlers are pushed at their delivery.
// A stack pointer that is set to another stack starts or continues the shadow
// stack of that one, for coroutines and goroutines.
//
// Values are read afterwards, at the positions that are shown.
//
// # Concurrency
//
// All functions use the stepper, and move and restore its position. They must
// be called by the goroutine that owns it.
package calltrace
