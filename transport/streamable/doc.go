// Package streamable serves MCP over HTTP: one endpoint for every revision,
// those with sessions and the stateless ones side by side, and for clients
// that state none, such as curl.
//
// A POST brings one message, or a batch where the revision has them. Its
// answer is application/json, or an event stream as soon as something has to
// be sent before it and the client takes streams. What the revisions say
// differently is in [mcp.HTTPRules]; nothing here knows a date.
//
//	h := streamable.New(streamable.Config{Server: server, Auth: door, Loopback: true})
//	defer h.Shutdown(ctx)
//	http.Handle("/mcp", h)
//
// # Order of the checks
//
// Host and Origin, the key (by the [Authenticator]), the verb, Accept and Content-Type,
// the size, JSON, the shape of the message, the revision, its headers, the
// quota. Each has its status; every refusal is a JSON-RPC error as
// application/json.
//
// # Concurrency
//
// A request whose answer cannot become a stream, because the client takes none
// or because there is nothing that it could be told before the answer, runs on
// the HTTP server's goroutine; any other runs beside it, so that the stream can
// be closed before the answer where a revision allows that. Requests without a
// session are cancelled when their client goes away. Those of a session go on,
// and a client that has seen a part of the stream may come back for the rest.
// [Handler.Shutdown] ends every session and stream and waits for what runs.
package streamable
