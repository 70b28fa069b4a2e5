// Package session manages debugging sessions: which client debugs which target,
// which call may use it, and when the session ends.
//
// The packages below it work on one debuggee:
//
//	calltrace   what a call did              valuetrace  where a value came from
//	collect     values at each hit of places heap        who allocated and freed a block
//	lastwrite   who wrote a value last
//	stepping    steps both ways, breakpoints, recording, calls of functions
//	waits       what threads wait for        memsearch   bytes in memory
//	inspect     threads, frames, registers   expr        expressions
//	target      live process, core file or trace
//	locals      variables as a flat list     sourcefile  lines of source files
//	redact      masks secrets                folders     the files that a caller may open
//	failure     errors with which a request is refused
//
// # Life of a session
//
// [Registry.Add] begins a session with a target. It ends with detach
// ([Registry.End]), with its client ([Registry.EndClient]), when it is idle for
// too long, with its process ([Registry.EndIfExited]), and with the family
// ([Registry.EndAll]). Then all its goroutines have ended. A process that was
// attached to runs on; one that was launched is killed unless it was detached
// from.
//
// # Concurrency
//
// One call at a time acquires a session; it holds the gate. A run of the
// process is an operation on a goroutine of the session, which may outlast the
// call that began it; meanwhile other calls learn that the process is running.
// The [stepping.Stepper] and what it moves belong to the operation in progress, else to
// the call that holds the gate.
//
// Pause and the end of the session do not wait for the gate: they cancel the
// operation.
//
// Locks are taken in the order gate, Registry.mu, Session.mu. Neither mutex is
// held while the process is used.
package session
