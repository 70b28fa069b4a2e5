// Package lastwrite finds the last write to a value in recorded history and describes it:
// who has written, with which instruction, what was there before and after, and the
// stack.
package lastwrite
