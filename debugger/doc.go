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
// Each package imports only those below it.
//
//	debugger                                  configuration, table, errors on the wire
//	internal/controltools traveltools         groups of tools: arguments,
//	    looktools accounttools                handlers, texts; they alone
//	    bugtools xmltools sessiontools        import mcp
//	    exposetools
//	internal/expose  internal/gdbremote       sockets for people's debuggers, gdb's
//	                                          remote protocol
//	internal/session                          who debugs what, one call at a time
//	internal/calltrace  internal/valuetrace   what recorded calls did, where values
//	                                          come from
//	internal/stepping                         steps both ways, breakpoints, recording
//	internal/inspect  internal/expr           frames, registers, expressions
//	internal/target                           live process, core file, trace
//	internal/history  internal/core           recorded execution, core files
//	internal/symbols                          names, types, values, call stacks
//	internal/proc  internal/ptrace            a traced process and its threads
//	internal/x86  internal/kernel             instructions, system calls
//
// Beside them, document has the XML library and bugs the search for similar
// bugs; failure, folders, plain and sourcefile are small packages that several
// layers share.
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
