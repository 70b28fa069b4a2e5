// Package debugger is the family of tools around a debugged program, and around
// the account and the audit trail of whoever debugs it.
//
// [Config] opens it and makes the table that a server serves. It declares what
// it needs of the rest of the program as small interfaces: [Trail] for the
// audit trail, [Accounts] for plans and licenses. Without them it serves a
// local user, whose plan has no limits.
//
// # Layers
//
// Package ptrace makes requests of the kernel, package proc makes of them a
// process that stops and runs, package symbols knows names, types and frames,
// package x86 instructions, package expr what people write. A session here
// joins them for one client and one process: calls find it in the registry by
// the client's state key, and by its id where there are several.
//
// What a session is about is a debuggee: a process, or a file that has what one
// was like. Tools that look go through its scene, which is the process, a
// moment of its history, or the file; those that move or change something want
// a process.
//
// # Concurrency
//
// A call has its session to itself: it holds the gate. What moves the process
// is an operation on a goroutine of the session's, which may outlast the call;
// while it is on, other calls are told that the process is running. Pause and
// detach do not wait for the gate: they cancel the operation. Locks are taken
// in the order gate, registry.mu, session.mu; neither mutex is held while the
// process is used.
//
// A session ends with detach, with its client, when nobody uses it, with the
// process, and with the family. Then its goroutines have ended, and a process
// that was attached to runs on; one that was launched ends unless it was
// detached from.
package debugger
