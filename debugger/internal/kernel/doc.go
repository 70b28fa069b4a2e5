// Package kernel knows what the system calls of Linux on x86-64 do to the
// process that makes them: which of its memory they write, and whether its
// mappings or threads change.
//
//	effect := kernel.Of(call, read)
//	if effect.Unknown {
//		// take a snapshot: nothing may be assumed
//	}
//	for _, span := range effect.Writes {
//		save(span)
//	}
//
// Everything is a function of the call's number and arguments, and of the
// memory that they point to. The package builds everywhere.
//
// # Never a guess
//
// A call that is in no row, or whose effects depend on what the row does not
// tell, is Unknown. Ranges may be too long, never too short: a call that ends
// early writes less.
package kernel
