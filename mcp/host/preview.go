package host

import (
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// A Preview holds facts about a request that a transport needs before the request
// is served: the claim of a modern revision, the values that HTTP headers of such
// a revision mirror, and whether it is a probe. It shares memory with the
// request.
type Preview struct {
	// Claimed reports whether the request names a revision in _meta.
	Claimed bool
	// Claim is the revision as named, or "" if it is not a string.
	Claim string
	// Revision is the claimed revision, or nil if it is unknown.
	Revision *Revision
	// Err reports a mistake in the claim or in the rest of _meta.
	Err *jsonrpc.Error
	// Name is the tool, prompt, resource or task. Named reports whether
	// Revision has the method and its HTTP header mirrors the name.
	Name  string
	Named bool
	// Family is the family of the tool that the request calls, or "" if it
	// calls none. ReadOnly reports whether the tool only reads.
	Family   string
	ReadOnly bool
	// Mirrored holds the arguments that HTTP headers mirror.
	Mirrored []Mirrored
	// Silent reports whether serving the request sends nothing to the client
	// before the answer, unless its session receives messages or can be
	// asked; see [Session.Silent].
	Silent bool
	// Probe reports whether the request only checks that a server is there.
	// It is neither charged to a quota nor recorded, and needs no store.
	Probe bool

	// Scope is the right that the target requires, and OrScope one that serves as
	// well, "" for none.
	Scope, OrScope Scope
	// Parsed is for package mcp.
	Parsed params.Parsed
}

// Denied reports whether the request will be rejected because the principal lacks
// the scope that its tool, prompt or resource requires.
func (v *Preview) Denied(who Principal) bool {
	return !who.Allows(v.Scope) && (v.OrScope == "" || !who.Allows(v.OrScope))
}

// A Mirrored is an argument of a tool that an HTTP header mirrors, as given by
// x-mcp-header in its schema (2026-07-28, Streamable HTTP).
type Mirrored struct {
	// Header is the part of the header's name after Mcp-Param-.
	Header string
	// Value is the argument as JSON, or nil if it is null or absent.
	Value []byte
}
