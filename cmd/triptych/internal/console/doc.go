// Package console serves pages for people: rulesets with their history, speeds, keys,
// the audit trail, sessions and debugging sessions.
//
//	pages := console.New(console.Config{Endpoint: mcpEndpoint, Auth: authenticator, …})
//	http.Handle("/", pages)
//
// A person signs in with a key, or by a link that works once ([Console.Link]). The
// console holds no rights of its own. What a page shows of rulesets it gets by calls of
// the MCP endpoint with the key of the session, so that scopes, labels, quotas and the
// audit trail apply as they do to every other client. Pages of the server itself (keys,
// sessions, the whole trail) take the scope [AdminScope].
//
// # Security
//
// Pages are made by html/template and need no script; the content security policy
// forbids scripts, and everything that is not from the server itself. The session
// cookie is HttpOnly and SameSite=Strict and holds a random name; the key stays in the
// memory of the server. A form is accepted with the token of its session only, and not
// from another origin. A key that is revoked ends its session with the next request.
//
// # Concurrency
//
// A Console may be used by any number of goroutines and has none of its own.
package console
