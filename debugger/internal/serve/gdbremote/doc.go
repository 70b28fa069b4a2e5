// Package gdbremote serves a debugging session to gdb and other clients of
// the GDB remote serial protocol: threads, registers, memory, breakpoints and
// execution both ways.
//
//	err := gdbremote.Serve(ctx, conn, sessions, s, gdbremote.Options{Role: session.Mirror})
//
// The tools keep using the same session, with the same engine, history and
// positions. A client sees the session's current position. The protocol's
// backward commands (bs, bc) move the session backward.
//
// # Roles
//
// A [session.Mirror] follows a session and changes nothing: commands that would resume
// the process wait for the session's next stop instead, and breakpoints have no
// effect. A client with the role [session.Control] drives the session together with the
// tools. An [session.Owner] also ends it: kill kills the process, detach detaches.
//
// Clients cache registers and memory until they resume the process. If a tool or
// another client has moved the session since, reads are rejected, and the next
// command that resumes reports the new position instead.
//
// # Recorded positions
//
// At recorded positions, and in core files and traces, writes are rejected. Going
// forward ends at the present with replaylog:end, going back ends at the oldest
// position with replaylog:begin.
//
// # Concurrency
//
// Serve runs on the caller's goroutine and reads packets on another one, which
// ends when the connection is closed. The gate of the session is held while a
// packet is handled. A packet that resumes holds it until the process stops.
package gdbremote
