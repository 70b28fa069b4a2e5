// Package controltools implements the tools that start and end sessions, set
// breakpoints, and make the process run and step.
//
// A [Group] holds what the tools need. [Group.Tools] returns the rows for the
// family's table; each row has its arguments struct, handler and answer in the
// file of the tool's name. The policy of which processes may be attached to is a
// [Policy].
//
// # Concurrency
//
// Handlers may run concurrently. They use a session only through a
// [session.Registry], which runs one call at a time for each session; detach and
// pause also work while another call runs.
package controltools
