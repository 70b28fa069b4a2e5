// Package client asks a server of MCP: it agrees on a revision, reads lists page by page, and calls
// tools.
//
//	c := client.New(conn, client.Config{Name: "example", Version: "1.0.0"})
//	if _, err := c.Initialize(ctx, ""); err != nil {
//		return err
//	}
//	result, err := c.CallTool(ctx, "greet", map[string]any{"name": "Ann"})
//
// A [Conn] carries the requests: a [*jsonrpc.Client] over the pipes of a process, or one of package
// transport/httpclient over HTTPS.
//
// # Revisions
//
// Revisions up to 2025-11-25 begin with a handshake. Later ones have none: each request claims its
// revision in _meta, which the Client adds. Without [Client.Initialize], requests claim none.
//
// # Errors
//
// What the server refuses is a [*jsonrpc.Error]. What a tool says of its own failure is a [Result]
// with IsError. Other errors come from the connection, or from answers of another shape than MCP
// has.
//
// # Concurrency
//
// A Client may be used by several goroutines, except that Initialize comes before all others.
package client
