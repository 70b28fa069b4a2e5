// Package http1 is a fast path for short HTTP/1.1 requests: it serves them itself and
// leaves all others to net/http.
//
//	server := http1.New(http1.Config{Handler: handler, Paths: []string{"/mcp"}, TLS: tlsConfig})
//	go web.Serve(server.Fallback()) // a http.Server with the same handler
//	err := server.Serve(listener)
//
// A POST to one of the paths with a short head and body, in the plainest form of the
// grammar, is parsed, handled and answered in one goroutine, with one read and one
// write. That takes half of the processor time of net/http. Any other request (another
// method, a chunked body, Expect, an unusual byte in a header, HTTP/2) passes its
// connection to net/http for good, with the bytes that were read. So this package
// decides no doubtful case.
//
// # What handlers see
//
// Requests, response writers and [http.ResponseController] behave as those of net/http
// (RFC 9112) with three exceptions: the context has neither [http.ServerContextKey] nor
// [http.LocalAddrContextKey], a response cannot be hijacked, and informational statuses
// are dropped. Answers may be streams. The context ends with the request, with the
// connection, and after RequestTime unless the handler sets another read deadline. A
// disconnected client is noticed within some milliseconds, but, as with net/http, not
// when it has sent a further request; RequestTime has no effect then either.
//
// Handlers must not change a request's Header and URL, which the next request may
// share, and must not use the response's Header after they have returned: it is reused.
//
// # Concurrency
//
// A Server may be used by many goroutines; a request belongs to its handler.
//
// # How a connection is served
//
// One goroutine serves one connection. Its calls are, from the top:
//
//	Server.Serve              accepts, and starts the goroutine
//	  conn.serve              TLS handshake, buffer
//	    conn.requests         one turn for each request
//	      conn.receive        reads until head and body are in the buffer
//	        head.parse        decides whether the request is served here
//	      conn.handle         calls the handler
//	        watch.begin       lets a timer watch for the client's disconnection
//	        newRequest        head and body as a http.Request
//	        response.finish   completes the answer and writes it
//	      conn.consume        drops the request from the buffer
//	    conn.handOver         the connection goes to net/http, for good
//
// A request is judged before any of it is handled, and nothing is written before that. So
// a connection can be handed over at any time between two answers, with the bytes that
// were read: net/http sees the same bytes in the same order as without this package.
//
// # Limits
//
// A head has at most 8 KiB and 64 fields, a body at most 64 KiB. Larger requests are not
// refused: they go to net/http, whose own limits apply. Buffers that grow beyond 4 KiB are
// charged to the network of the client, so that strangers cannot fill the memory with
// half-sent requests.
//
// # Locks
//
// A Server has a lock for its set of connections, its fallback listener one for the
// address, and each connection that of its watch. None is held while another is taken, nor
// while a handler runs. The watch releases its lock while it reads.
package http1
