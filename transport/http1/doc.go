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
package http1
