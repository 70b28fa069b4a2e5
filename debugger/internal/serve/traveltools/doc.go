// Package traveltools implements the tools that move through recorded history and
// search it, and the [TraceFile] with which commands print exported traces.
//
// A [Group] holds what the tools need, and [Group.Tools] returns the rows for the
// family's table.
//
// # Concurrency
//
// Handlers hold the gate of their session. A TraceFile must be used by one
// goroutine at a time.
package traveltools
