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
//
// # The way of a POST
//
//	Handler.ServeHTTP          host.go: Host, Origin, CORS; then Config.Auth
//	  Handler.post
//	    Handler.prepare
//	      checkHeaders         accept.go, toolsets.go: media types, selected tools
//	      readBody             body.go: into memory of the principal's budget
//	      jsonrpc.Decode
//	      route                route.go, header.go: revision, session, mirrored headers
//	      forward              forward.go: another server has what the request needs
//	      deliver              messages that have no answer
//	      Auth.Charge
//	    exchange.serve         exchange.go: runs the requests
//	      reply                answer.go: one answer as JSON
//	      copy                 answer.go, stream.go, sink.go: an event stream
//
// A GET goes from ServeHTTP to get.go, which reads a stream of the session, a DELETE ends
// the session.
//
// # Reading order
//
//	handler.go config.go status.go        the endpoint, what it needs, and its statuses
//	post.go route.go body.go accept.go    what comes before the requests of a body run
//	header.go host.go toolsets.go         the headers
//	exchange.go answer.go sender.go       running requests, and how their answer is sent
//	respond.go limits.go forget.go        refusals, limits, and keys that were revoked
//	stream.go sink.go listen.go           event streams, and requests that only listen
//	session.go sessions.go get.go         sessions and their own stream
//	sessionstreams.go parked.go           streams that wait for clients to reconnect
//	seal.go peers.go forward.go           sessions and requests of several servers
//	running.go usage.go info.go           counting what runs, for Shutdown and for metrics
//
// # An answer
//
// An answer begins undecided. It becomes JSON when the requests have ended, or an event
// stream when the first message is sent before that; it cannot change afterwards. A client
// that accepts streams only gets a stream in any case, one that accepts JSON only gets no
// messages. The status of JSON follows from the error (status.go); that of a stream is 200.
//
//	undecided ── requests end ─────────────► JSON
//	    └─────── first message ──► stream ──► its last event is the answer
//	                                 └─ connection lost ──► with a session: parked,
//	                                       a GET with Last-Event-ID goes on with it;
//	                                       without one: the requests are cancelled
//
// # A session
//
// The answer to initialize begins a session where the revision has sessions. It ends by a
// DELETE, after SessionIdle without a request or a reader, when its key is revoked, and with
// Shutdown. Requests of an ended session get 404, upon which clients initialize again. A
// session belongs to its principal: with another key, or one that has lost a scope since,
// its id is unknown.
//
// Where several servers share a secret, the id holds, encrypted, what initialize negotiated,
// so that any of them goes on with the session. What one of them hears and the others must
// know, such as the end of the session or a cancellation, they tell each other through
// [Peers]; a request whose state is at one server is passed on to it.
//
// # Memory
//
// Every byte that a client makes the server hold belongs to a budget of its principal and
// to one of all: bodies until they are answered, answers and messages until they are
// read. A client over its own budget gets 429, and 503 when all together are over theirs.
// Streams without a reader give way first.
package streamable
