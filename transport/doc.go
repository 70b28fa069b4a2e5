// Package transport is the roads by which requests reach a server. A road owes
// the server a vouched-for [mcp.Caller], the order of what one client sends,
// cancellation, and one answer for each request; its own folder is below this
// one.
//
// [mcp.Caller]: https://pkg.go.dev/github.com/triptych-mcp/triptych/mcp#Caller
package transport
