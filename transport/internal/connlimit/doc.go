// Package connlimit bounds the connections of a listener, in all and from one
// address, so that no client keeps others out by holding connections.
//
// When a limit is reached, an idle connection makes room for the new one: first
// that of a stranger, which has shown no good key, and the oldest of them first;
// then that of a client with a key. A connection on which a request is running or an
// answer is being written is never closed. Without an idle one, a new connection of an address at its limit
// is closed, and at the limit of all Accept waits until a connection ends or has been
// idle for a moment.
//
//	limited := connlimit.Listen(listener, connlimit.Limits{Total: 10_000, Address: 1000})
//	server := http.Server{ConnContext: connlimit.WithConn}
//	…
//	conn := connlimit.FromContext(r.Context())
//	conn.Begin()
//	defer conn.End()
//	… conn.SetKnown()
//
// # Concurrency
//
// Accept is called by one goroutine; all other methods by any number.
package connlimit
