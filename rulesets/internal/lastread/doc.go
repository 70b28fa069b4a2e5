// Package lastread records which revision of a ruleset each client read last, so that a
// change which names no revision can be checked against it.
//
// [Memory] has the reads of the clients of one process. [Valkey] also has those of clients
// whose calls reach several servers of one store.
//
// # Concurrency
//
// A [Record] may be used from any goroutine. Nothing runs in the background.
package lastread
