// Package location finds out where a variable is: it evaluates DWARF expressions
// and looks up location lists (DWARF 5 sections 2.5, 2.6 and 7.7).
//
// [Evaluate] runs an expression over the registers and memory that a [Context]
// offers. What comes out is a list of pieces, most often one: memory, a register,
// a value that exists nowhere, bytes, a pointer to an object that was optimized
// away, or nothing at all. Optimized code needs all of them.
//
//	pieces, err := location.Evaluate(expr, ctx)
//	if errors.Is(err, location.ErrUnavailable) { … } // say so, never guess
//
// [List.Find] picks the expression that holds at an address.
//
// # Errors
//
// [ErrUnavailable] means that the program no longer has what the expression
// needs. Other errors are expressions that are damaged or beyond DWARF 5, and
// memory that cannot be read. No input makes this package panic or run long.
package location
