// Package spelling tells how near a name is to another that may have been meant.
//
// It knows nothing of the protocol: arguments of tools are compared with it, and
// functions of a program that is debugged.
//
// # Concurrency
//
// Everything may be used by many goroutines.
package spelling
