// Package http1 serves the short requests of HTTP/1.1 connections by itself and
// gives all else to net/http.
//
//	server := http1.New(http1.Config{Handler: handler, Paths: []string{"/mcp"}, TLS: tlsConfig})
//	go web.Serve(server.Fallback()) // a http.Server with the same handler
//	err := server.Serve(listener)
//
// A POST to one of the paths whose head and body are short and of the plainest
// form is parsed, handled and answered in one goroutine, with one read and one
// write. That takes half of the processor's time that net/http takes. A
// connection on which anything else comes, another method, a chunked body, an
// Expect, a header with a byte that is not plain, HTTP/2, is net/http's from that
// request on, with the bytes that were read. So this package decides about
// nothing that is hard to decide, and what it does not take is as safe as
// net/http.
//
// # What handlers see
//
// Requests, response writers and [http.ResponseController] are as those of
// net/http (RFC 9112), but for three things: the context has neither
// [http.ServerContextKey] nor [http.LocalAddrContextKey], a response cannot be
// hijacked, and it has no informational statuses. Answers may be streams.
// The context ends with the request, with the connection, and after RequestTime
// unless the handler sets another read deadline. That the client has gone is
// noticed some milliseconds into a request, but as with net/http not behind a
// request that the client has sent meanwhile, nor does RequestTime count then.
//
// Handlers must not change a request's Header and URL, which the next request may
// share, and must not use the answer's Header when they have returned, for it is
// another answer's then.
//
// # Concurrency
//
// A Server may be used by many goroutines; a request belongs to its handler.
package http1
