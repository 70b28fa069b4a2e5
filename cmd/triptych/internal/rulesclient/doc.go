// Package rulesclient reads and changes the rulesets of a server, by calls of its
// tools over HTTPS with a key. Its methods take and return what the methods of a
// [ruleset.Store] do, with the same errors where the server's answer shows which.
//
//	c := rulesclient.New(endpoint.Endpoint{URL: url, Key: key, HTTP: client}, version)
//	metas, err := c.List(ctx)
//	all, err := c.GetAll(ctx, metas, rulesclient.Cache(dir))
//	...
//	_, err = c.Update(ctx, name, ruleset.Patch{Markdown: &text, IfRev: rev})
//
// Each method is one request of a revision without sessions, so that any number may
// be in flight; [Client.GetAll] has eight at a time.
//
// # Cache
//
// A [Cache] holds rulesets by server. The list of rulesets tells when each was
// changed last, and one that was read later than that is not read again. Since times
// have whole seconds, a ruleset that was read within two seconds of its change is not
// trusted (RFC 9110, section 8.8.2.2, on weak validators).
//
// # Errors
//
// [*ruleset.NotFoundError], [*ruleset.ExistsError], and after a change with IfRev or
// Base a [*ruleset.ConflictError] with the present content. A [*ToolError] holds the
// text of any other failure of a tool, and a [*jsonrpc.Error] what the server says
// of a request that it rejects, such as one with a wrong key.
package rulesclient
