// Package session manages debugging sessions: which client debugs which target,
// which call may use it, and when the session ends.
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
// The embedded [stepping.Stepper] belongs to the operation in progress, else to
// the call that holds the gate.
//
// Pause and the end of the session do not wait for the gate: they cancel the
// operation.
//
// Locks are taken in the order gate, Registry.mu, Session.mu. Neither mutex is
// held while the process is used.
package session
