// Package everything is the family that the official MCP conformance suite
// asks for: a tool, prompt or resource for each thing that a server can do.
// Names, texts and values are the suite's; see package
// conformance/official, which runs it.
//
// A family of triptych looks like this one: [Table] is all that is served, and
// nothing here knows about transports or revisions.
package everything
