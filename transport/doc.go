// Package transport holds the transports by which requests reach an MCP server,
// stdio and HTTPS, each in a package below it, and what HTTPS needs: keys, quotas,
// the audit trail, metrics.
//
// A transport gives the server an authenticated [host.Caller] with each request,
// keeps the order in which one client sends, passes on cancellation, and sends one
// answer for each request.
//
// [host.Caller]: https://pkg.go.dev/github.com/triptych-mcp/triptych/mcp/host#Caller
package transport
