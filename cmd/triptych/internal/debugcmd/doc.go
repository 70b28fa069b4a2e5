// Package debugcmd is the debugger for people: the shell triptych debug, and triptych
// trace, which prints recorded traces.
package debugcmd
