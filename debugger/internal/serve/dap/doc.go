// Package dap serves a debugging session to editors, in the Debug Adapter
// Protocol: breakpoints, stacks, variables, memory and execution both ways.
//
//	err := dap.Serve(ctx, conn, sessions, nil, dap.Options{Role: session.Owner, Call: call})
//
// The session is that of the tools: the same engine, the same history, the same
// positions. Messages have the types of google/go-dap; this package limits
// reading and writing them.
//
// # Roles
//
// An [session.Owner] begins the session with its request launch or attach and
// ends it with the conversation: a process that was launched is killed, one
// that was attached to runs on. Both are calls of the tools ([Options.Call]),
// so that they are checked and recorded as those are. A [session.Mirror]
// follows a session that exists and changes nothing; a client in
// [session.Control] drives it together with the tools.
//
// # Where things are
//
//   - message.go, writer.go, cancel.go: messages and their limits
//   - server.go, client.go, command.go: the conversation, the parts of a server, and the table
//     of commands
//   - begin.go, restart.go, end.go: launch, attach, restart, disconnect
//   - run.go, stop.go: execution, and what clients are told of stops
//   - breakpoint.go, setbreakpoint.go, databreakpoint.go, exception.go: what stops it
//   - stack.go, variable.go, evaluate.go, assign.go: what there is at a stop
//   - memory.go, disassemble.go, source.go: memory, code and files
//   - custom.go, console.go: lastWrite, callTrace and seek, as requests and as
//     commands in the console
//
// # Concurrency
//
// Serve handles requests on its caller's goroutine, one after another. Another
// goroutine reads them, and cancels the one that is handled; one more writes.
// The process runs in an operation of the session, during which requests go
// on. The goroutines end with the conversation, except for a write to a client
// that does not read, which ends when its connection is closed.
//
// What requests read is valid until the next stop: frames and variables of the
// stop before are refused.
package dap
