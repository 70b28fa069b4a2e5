// Package target represents what is debugged: a live process, a core file or a
// trace.
//
// The [View] of a [Target] reads registers, memory, threads and
// mappings at one position. The present of a process is the process itself, its
// past a [Past]. A core file has one position, a [Trace] has many.
//
// A launched program has an [Output], and an [Input] if the client wants to write
// to it. Both may be used while it runs.
//
// A View belongs to one goroutine at a time.
package target
