// Package routes serves the requests of a listener by a table. A row of the table says, for a
// method and a path, what a request may take: the bytes of its body, memory, time, calls of
// the caller's quota, and the scope that it needs. What is in no row is answered with 404.
//
//	table := routes.New(routes.Config{
//		Routes: []routes.Route{
//			{Path: "/mcp", Body: routes.Own, Handler: endpoint},
//			{Method: "GET", Path: "/audit/export", Scope: "audit:read", Callers: sessions,
//				Cost: routes.Cost{Calls: 1, Alone: true}, Handler: export},
//		},
//		Bodies: endpoint.BodyHold, Answers: endpoint.AnswerHold,
//	})
//	http.Serve(listener, table)
//
// For each request the table checks, in this order: the Host, that a request without a body has
// none, the caller, the scope, the form, whether the caller does such work already, the quota
// and the memory. Then it calls the handler with a deadline. The endpoint of MCP ([Own])
// authenticates, charges and reads bodies by itself, with the same budgets.
//
// # Forms
//
// A form is read into memory of the caller's budget, or of that of its network if the caller
// is not known yet, and has to arrive at a minimum rate. Only application/x-www-form-urlencoded
// is read; a row with JSON has the same limits for application/json. Handlers find it in [http.Request.PostForm]. A multipart body is refused, since
// net/http would write its files to the disk without a bound.
//
// # Concurrency
//
// A Table may be used by any number of goroutines; it has none of its own.
package routes
