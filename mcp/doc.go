// Package mcp is the protocol: it turns JSON-RPC requests into calls of tools,
// resources and prompts, for every published revision of the Model Context
// Protocol at once. It knows no transport and no family of tools.
//
// A family is data: a [Table] of struct literals, one for each tool, with a typed
// handler. A [Server] is made of tables. A transport authenticates a [host.Caller],
// binds it, and passes requests to the bound [Handler]:
//
//	server, err := mcp.New(mcp.Config{Name: "greeter", Version: "1.0.0"}, &mcp.Table{
//		Tools: []mcp.Tool{{
//			Name: "greet", Doc: "Greet a person", Hints: mcp.ReadOnly,
//			Call: mcp.Typed(greet),
//		}},
//	})
//	handler := server.Bind(host.Caller{Principal: host.Local(), Send: conn}, conn.Cancel)
//	err = conn.Serve(ctx, handler)
//
// # The way of a request
//
//	Handler.Handle            handler.go
//	├─ Params.Parse           internal/params: finds the members once; over HTTP a Preview has
//	├─ Call.admit             admit.go: the revision, from _meta or the session
//	├─ method row             method.go: what the protocol knows of the method
//	├─ row.serve              tools.go, resources.go, prompts.go, skills.go, tasks.go, …
//	│    ├─ Principal.Allows  host: the scope of the tool or resource
//	│    ├─ Binding           bind.go, schema: arguments into a struct, then the handler
//	│    ├─ Table.Errors      the family's errors into protocol errors or tool results
//	│    └─ Revision.append…  project.go: leaves out what the revision does not know
//	└─ Config.Observe         observe.go: the record, before the answer leaves
//
// Handlers return the richest answer and never see a revision.
//
// # What a table serves
//
// Tools and prompts are rows. Resources come from sources ([ResourceSource]), one for
// each scheme or authority; a source may also list folders and Agent Skills, whose
// format package mcp/skill reads. Prompts that users make come from a [PromptSource].
//
// # Who needs which names
//
// Authors of servers fill a [Table] with rows ([Tool], [ResourceSource], [Prompt]),
// bind handlers with [Typed], return a string, a struct or a [Result] of [Content],
// and report errors with [ToolError] and [InvalidParams]. A [Call] tells a handler
// about its request. Of [Config] they need Name and Version.
//
// Transports and programs need those of package host, too. A transport makes a
// [host.Caller] with a [host.Principal], and a [host.Session] for legacy clients; one over
// HTTP reads a [host.Preview], and the HTTP rules of its [host.Revision]. A program fills
// the rest of [Config]: Tools selects tools, Oversize and Tasks are stores, Observe gets a
// [host.Event] for each request. LookUp and Details of a [Tool] serve records of calls; a
// table whose program has none omits them.
//
// # Who gets which shapes
//
// A client that named a revision gets that revision's shapes, and one that never did those
// of the oldest. A family whose document is older than the negotiation of revisions sets
// [Documented]: clients that name no revision are then answered as the document shows,
// and are not shown rows with Extension set. Modern requests (2026-07-28) carry
// everything in their own _meta and may be mixed with a legacy session on one connection;
// neither touches the other.
//
// # Errors
//
// A handler's error is passed to [Table].Errors. A [ToolError] is answered as a
// result with isError, a [jsonrpc.Error] as it is; everything else is -32603
// without its text. Where the revision wants the model to see errors that it can
// correct, [Table].ModelErrors become results, too.
//
// # Memory
//
// What the server keeps for callers between their requests is charged to a budget
// ([Config].StateMemory): subscriptions, listen requests, tasks. What belongs to
// a request is released with it.
//
// # Concurrency
//
// A Server may be used from any goroutine. A bound [Handler] serves one
// connection or one HTTP request; its requests may run at the same time. A [Call]
// belongs to the goroutine of its handler, but Progress and Log may be called from
// any. [Server.Run] owns the goroutines that watch the tables' stores and ends
// them before it returns; [Server.Close] waits for those of tasks.
//
// Locks, in the order in which they are taken; those in one line are never held
// together:
//
//	task.order                          one task's changes reach listeners in order
//	listen.mu                           one stream's messages, held while they are sent
//	listeners.mu, book.mu, session.State.mu, tasks.mu
//	task.mu                             one task as clients see it
//	budget.mu, news.mu, Call.mu         nothing is taken while they are held
//
// Only task.order and listen.mu are held over I/O. None is held during a call into
// a family.
package mcp
