// Package mcp is the protocol: it turns JSON-RPC requests into calls of tools,
// resources and prompts, for every published revision of the Model Context
// Protocol at once.
//
// A family of tools is data: a [Table] of struct literals, one for each tool,
// with a typed handler. A [Server] is made of tables. A transport makes a
// [Caller] for whoever it vouches for, binds it, and gives the bound handler
// the requests:
//
//	server, err := mcp.New(mcp.Config{Name: "greeter", Version: "1.0.0"}, &mcp.Table{
//		Family: "greeter",
//		Tools: []mcp.Tool{{
//			Name: "greet", Doc: "Greet somebody", Hints: mcp.ReadOnly,
//			Call: mcp.Typed(greet),
//		}},
//	})
//	handler := server.Bind(mcp.Caller{Principal: mcp.Local(), Send: conn}, conn.Cancel)
//	err = conn.Serve(ctx, handler)
//
// A request goes through five doors: the row of its method (method.go), the
// revision that governs it (admit.go, revision.go), the row of its tool or
// resource (table.go), the binding that decodes its arguments (bind.go), and
// on the way out the projection that leaves out or translates what the
// client's revision does not know (project.go). Handlers give the richest
// answer and never see a revision.
//
// # Who gets which shapes
//
// A client that never named a revision is served as the baseline, by the
// documents of the systems that this server replaces; one that named a
// revision gets that revision's shapes. Modern requests (2026-07-28) carry
// everything in their own _meta and may be mixed with a legacy session on one
// connection; neither touches the other.
//
// # Concurrency
//
// A Server may be used from any goroutine. A bound [Handler] serves one
// connection or one HTTP request; its requests may run at the same time.
// [Server.Run] owns the goroutines that watch the tables' stores and ends them
// before it returns. Locks, in the order they are taken: Server.mu,
// Session.mu, book.mu. None is held over I/O or a call into a family.
package mcp
