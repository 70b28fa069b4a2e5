// Package calltrace describes calls in the recorded history of a target: what
// one call did line by line, and which functions called which.
//
//	trace, err := calltrace.Trace(ctx, stepper, calltrace.Query{Function: "store", Nth: 2})
//	tree, err := calltrace.Calls(ctx, stepper, from, to)
//
// # How calls are found
//
// A walk follows one thread by the program counters and stack pointers of its branches
// (history.History.Branches). Where the recording is replayed translated, its code logs them, which
// takes a small multiple of the time of the replay; elsewhere they are in the records.
// The walk maintains a shadow stack. A call instruction pushes an activation with the
// address of its return address. The activation is removed when the stack pointer
// is above that address after a branch: a return, an exception or longjmp. A jump to the
// start of a function with the return address on top of the stack is a tail call
// or a linker stub. Signal handlers are pushed when they are delivered. If the
// stack pointer is set to another stack, the walk starts or continues the shadow
// stack of that one, for coroutines and goroutines. A traced call is followed to the thread that
// continues its stack, and to where the runtime of Go puts that stack when it grows or shrinks.
//
// Values are read afterwards, and only at the positions that are shown.
//
// # Concurrency
//
// All functions use the stepper, and move and restore its position. They must
// be called by the goroutine that owns it.
package calltrace
