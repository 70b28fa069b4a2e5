// Package looktools implements the tools that inspect a stopped process: stack,
// variables, threads, registers, memory, code and source. One of them writes
// memory.
//
// A [Group] holds what the tools need, and [Group.Tools] returns the rows for the
// family's table. Most tools also work at recorded positions, and on core files
// and traces.
//
// # Concurrency
//
// Handlers hold the gate of their session, so that the process cannot run while
// they read it.
package looktools
