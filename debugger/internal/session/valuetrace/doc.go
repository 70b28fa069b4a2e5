// Package valuetrace follows a value back through recorded history: to the
// instruction that wrote it last, to the values that this instruction used, to
// their last writes, and so on to inputs and constants.
//
//	trace, err := valuetrace.Trace(ctx, stepper, "order->total", 8)
//
// Each hop is a write to memory. Between two hops the value is followed through
// registers: the last step that changed a register is found in the records
// (history.History.TransitionsBack), and its operands say where the value came
// from. A hop ends the search at a system call, a constant, memory that was not
// written since the recording began, or an unrecorded run. Values that decide
// which value is used, such as an index or a condition, are not followed.
//
// Where instructions take only some bits of a word, as for a bit-field, only those bits are
// followed, and a write that leaves them as they were is no hop. Of a variable that is no
// bit-field all bits are followed again.
//
// # Concurrency
//
// Trace uses the stepper, and moves and restores its position. It must be called
// by the goroutine that owns it.
package valuetrace
