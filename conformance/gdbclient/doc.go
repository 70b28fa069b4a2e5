// Package gdbclient drives triptych gdbserver with debuggers that others wrote, gdb and lldb:
// programs with several threads, processes that run on after it, recordings and core files.
// Forward and backward the debuggers come to the same positions as triptych replay.
//
// The tests need gcc, gdb and an lldb that goes back, from version 21 on. Without them they
// skip, but where CI is set a missing program is a failure.
package gdbclient
