// Package gdbclient drives triptych gdbserver with two other debuggers, gdb and lldb:
// programs with several threads, processes that run on after it, recordings and core files.
// Forward and backward the debuggers reach the same positions as triptych replay.
//
// The tests need gcc, gdb, and lldb 21 or later, which can go back. Without them the tests
// are skipped; if CI is set, they fail.
package gdbclient
