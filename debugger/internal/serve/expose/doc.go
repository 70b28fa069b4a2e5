// Package expose offers a debugging session to debuggers for people, over a
// socket that only the user who runs this program can use.
//
// A protocol such as gdb's has no authentication. A socket of the Unix domain
// has mode 0600, in a folder with mode 0700 unless the caller names its path; a
// TCP socket listens on loopback. Of both the user of each client is checked
// with the kernel, and clients of other users are disconnected.
//
// # Concurrency
//
// The methods of an [Exposer] may be called from any goroutine. Each socket has
// a goroutine that accepts, and one for each client; they end with the session
// or with Close, which waits for them.
package expose
