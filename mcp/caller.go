package mcp

import (
	"net/netip"
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A Scope is a right, such as "rulesets:write".
type Scope string

// A Principal is who a request is charged to and what they may do.
type Principal struct {
	// ID is stable and unique among principals, and no secret.
	ID string
	// Scopes are the rights; nil means every right.
	Scopes []Scope
	// Account is what the transport keeps with the principal. Nobody else
	// looks at it.
	Account any
}

// Local is the principal of a process that started us: every right, no limits.
func Local() Principal { return Principal{ID: "local"} }

// Allows reports whether the principal has the right; everybody has the empty
// one.
func (p Principal) Allows(s Scope) bool {
	return s == "" || p.Scopes == nil || slices.Contains(p.Scopes, s)
}

// A Caller is who sent a request, vouched for by the transport.
type Caller struct {
	Principal Principal
	// Session is what a legacy client makes us remember, nil where the
	// transport or the revision has none. Bind makes one when it is nil and
	// Connection is set.
	Session *Session
	// Connection says that all requests bound to this caller come over one
	// connection of one client process, as on stdio.
	Connection bool
	// Revision governs requests that state none, when there is no session:
	// what an HTTP header says. Nil means the baseline.
	Revision *Revision
	// Unsolicited says that Send carries messages that belong to no request, such
	// as changes of lists. A Connection hears.
	Unsolicited bool
	// Tools picks among the tools that the server has; nil picks all.
	Tools *ToolSelection
	// Addr is where the request came from, the zero value on stdio.
	Addr netip.AddrPort
	// Send carries messages to the client that belong to this connection or
	// request; nil when none can be sent.
	Send jsonrpc.Sender
}

// revision governs what states none itself.
func (c *Caller) revision() *Revision {
	switch {
	case c.Session != nil:
		return c.Session.Revision()
	case c.Revision != nil:
		return c.Revision
	}
	return baseline
}

// StateKey names the state that a caller's calls share: the connection or the
// legacy session, else the principal.
func (c *Caller) StateKey() string {
	if c.Session != nil {
		return "session:" + c.Session.ID
	}
	return "principal:" + c.Principal.ID
}
