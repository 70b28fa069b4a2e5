// Package gdbremote serves a debugging session to gdb and other clients of
// the GDB remote serial protocol: threads, registers, memory, breakpoints and
// execution both ways.
//
//	err := gdbremote.Serve(ctx, conn, sessions, s, gdbremote.Options{Role: gdbremote.Mirror})
//
// The session stays that of the tools: the same engine, the same history, the
// same positions. A client sees the position that the session shows; where the
// protocol goes backward (bs, bc), the session does.
//
// # Roles
//
// A [Mirror] follows a session and changes nothing: each command that would
// resume the process waits for the next stop of the session instead, and
// breakpoints have no effect. A client in [Control] drives the session together
// with the tools. An [Owner] also ends it: kill kills, detach detaches.
//
// A client keeps registers and memory until it resumes the process. When the
// session has moved since, by a tool or another client, reads are refused, and
// the next command that resumes shows the new position instead.
//
// # The past
//
// In the past, and in core files and traces, writes are refused. Going forward
// ends at the present with replaylog:end, going back at the oldest position
// with replaylog:begin.
//
// # Concurrency
//
// Serve runs on its caller's goroutine, and reads packets on another one, which
// ends when the connection is closed. Each packet holds the gate of the session
// while it is handled; one that resumes holds it until the process stops.
package gdbremote
