// Package syscalls describes the effects of Linux system calls on the x86-64
// process that makes them: which of its memory they write, and whether its
// mappings or threads change.
//
//	effect := syscalls.Of(call, read)
//	if effect.Unknown {
//		// take a snapshot: nothing may be assumed
//	}
//	for _, span := range effect.Writes {
//		save(span)
//	}
//
// An effect depends only on the number and the arguments of the call, and on the
// memory that they point to. The package builds on all systems.
//
// # Unknown calls
//
// The effect of a call that is not in the table, or that depends on anything
// else, is Unknown. Ranges may be longer than what the call writes, never
// shorter: a call that fails early writes less.
package syscalls
