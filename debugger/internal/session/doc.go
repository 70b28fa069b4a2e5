// Package session has the debugging sessions: which client debugs which target,
// who may use it now, and when that ends.
//
// # Life of a session
//
// [Registry.Add] begins a session with a target. It ends with detach
// ([Registry.End]), with its client ([Registry.EndClient]), when nobody has
// used it for a while, with its process ([Registry.EndIfExited]), and with the
// family ([Registry.EndAll]). Then all its goroutines have ended. A process
// that was attached to runs on; one that was launched ends unless it was
// detached from.
//
// # Concurrency
//
// One call at a time acquires a session; it holds the gate. What moves the
// process is an operation on a goroutine of the session, which may outlast the
// call that began it; while it is on, other calls learn that the process is
// running. The embedded [stepping.Stepper] belongs to the operation that is on,
// else to the call that holds the gate.
//
// Pause and the end of the session do not wait for the gate: they cancel the
// operation.
//
// Locks are taken in the order gate, Registry.mu, Session.mu. Neither mutex is
// held while the process is used.
package session
