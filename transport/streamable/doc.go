// Package streamable implements the Streamable HTTP transport of MCP. One
// endpoint serves every revision, those with sessions and the stateless ones, and
// clients that name no revision, such as curl.
//
// A POST carries one message, or a batch where the revision has batches. Its
// answer is application/json, or an event stream as soon as something has to
// be sent before it and the client accepts streams. The differences between
// revisions are in [mcp.HTTPRules].
//
//	h := streamable.New(streamable.Config{Server: server, Auth: authenticator, Loopback: true})
//	defer h.Shutdown(ctx)
//	http.Handle("/mcp", h)
//
// # Order of the checks
//
// Host and Origin, the credentials (by the [Authenticator]), the method, Accept and
// Content-Type, the size of the body, its JSON, the form of the message, the
// revision, its headers, the quota. Each check has its own status, and every refusal
// is a JSON-RPC error as
// application/json.
//
// # Concurrency
//
// A request whose answer cannot become a stream runs on the goroutine of the HTTP
// server: the client accepts no streams, or no message can precede the answer. Any
// other runs on a goroutine of its own, so that the stream can be closed before the
// answer where a revision allows that. Requests without a session are cancelled when
// their client disconnects. Those of a session go on, and the client may reconnect
// for the rest of the stream. [Handler.Shutdown] ends all sessions and streams, and
// waits for running requests.
//
// The locks are, from first to last: an exchange's, a session's, the list of all
// sessions', the list of parked streams', a stream's, a budget's. No lock is held
// while a client is written to.
package streamable
