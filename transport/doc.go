// Package transport holds the transports by which requests reach a server, one
// package each: stdio for one client on standard input and output, https and
// streamable for many clients. A transport passes an authenticated [mcp.Caller]
// to the server, keeps the order in which one client sends, cancels the calls of
// a client that goes away, and sends one answer for each request.
//
// [mcp.Caller]: https://pkg.go.dev/github.com/triptych-mcp/triptych/mcp#Caller
package transport
