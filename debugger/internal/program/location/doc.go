// Package location locates variables: it evaluates DWARF expressions and searches
// location lists (DWARF 5 sections 2.5, 2.6 and 7.7).
//
// [Evaluate] runs an expression over the registers and memory that a [Context]
// provides. The result is a list of pieces, mostly one: memory, a register, a computed
// value, bytes, a pointer to an object that was optimized away, or nothing. Optimized
// code needs all of them.
//
//	pieces, err := location.Evaluate(expr, ctx)
//	if errors.Is(err, location.ErrUnavailable) { … } // report it, never guess
//
// [List.Find] returns the expression that is valid at an address.
//
// # Errors
//
// [ErrUnavailable] means that the program no longer has what the expression
// needs. Other errors are expressions that are damaged or beyond DWARF 5, and
// memory that cannot be read. No input makes this package panic or run long.
package location
