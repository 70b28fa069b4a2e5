// Package debugger is the family of tools around a debugged program, and around
// the account and the audit trail of its callers.
//
// [Config] opens it and makes the table that a server serves. It declares what
// it needs of the rest of the program as small interfaces: [Trail] for the
// audit trail, [Accounts] for plans and licenses. Without them it serves a
// local user, whose plan has no limits.
//
// # Layers
//
// The packages below internal are in groups, and each group imports only those below it.
//
//	serve          tools, and the protocols of editors and of gdb
//	session        one debuggee: steps both ways, expressions, questions about the past
//	record         recorded execution, recordings of whole programs
//	program        what the files of a program say: names, types, values, call stacks
//	kernel         a traced process and its threads, system calls
//	machine        instructions and processors
//
// Beside them, bugs searches for similar code, and limits are small packages that several
// groups share. The doc.go of a group tells its packages.
// Package document, not below internal, is the XML library.
//
// # Concurrency
//
// One call at a time holds the gate of a session. A run of the process is an
// operation on a goroutine of the session, which may outlast the call that
// began it. Package session describes this, and when a session ends.
//
// Locks are taken in the order: gate of a session, session.Registry.mu,
// session.Session.mu, locks of package symbols. No mutex of package session is
// held while the process is used. Requests to the kernel are made by the
// tracer's own thread (package ptrace), which waits for no lock.
package debugger
