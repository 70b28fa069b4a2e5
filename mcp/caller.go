package mcp

import (
	"net/netip"
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A Scope is a right, such as "rulesets:write". The rows of tables name the scopes that
// exist; nothing else lists them, so a new family brings its own.
type Scope string

// A Principal is the account that a request is charged to, and its rights. It is a value:
// a transport makes one for each request, and a change of rights affects the next one.
type Principal struct {
	// ID is stable and unique among principals, and no secret.
	ID string
	// Scopes are the rights; nil means every right.
	Scopes []Scope
	// Toolsets are the groups of tools that the principal sees and may call, as
	// in [ToolSelection]; nil means all.
	Toolsets []string
	// Label names the versions of their data that families with labelled versions show
	// to the principal; "" leaves that to the family.
	Label string
	// Account holds the data of the transport about the principal. No other
	// package reads it.
	Account any
}

// Local returns the principal of the process that started this one, over standard
// input and output: it has every right and no limits.
func Local() Principal { return Principal{ID: "local"} }

// Allows reports whether the principal has the right. All have the empty one. Nil Scopes
// have all, and empty ones none.
func (p Principal) Allows(s Scope) bool {
	return s == "" || p.Scopes == nil || slices.Contains(p.Scopes, s)
}

// A Caller is the sender of a request, as the transport has authenticated it. The zero
// Caller is a principal without a name that has every right, so transports must set
// Principal.
type Caller struct {
	Principal Principal
	// Session holds the state of a legacy client, nil where the
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
	// as changes of lists. A Connection always does.
	Unsolicited bool
	// Tools picks among the tools that the server has; nil picks all.
	Tools *ToolSelection
	// Addr is the address of the client, the zero value on stdio.
	Addr netip.AddrPort
	// Send carries messages to the client that belong to this connection or
	// request; nil when none can be sent.
	Send jsonrpc.Sender
}

// revision returns the revision of requests that state none themselves.
func (c *Caller) revision() *Revision {
	switch {
	case c.Session != nil:
		return c.Session.Revision()
	case c.Revision != nil:
		return c.Revision
	}
	return baseline
}

// StateKey returns the name of the state that a caller's calls share: the connection or
// the legacy session, else the principal. The prefixes keep an id that a client could
// choose from naming another's state.
func (c *Caller) StateKey() string {
	if c.Session != nil {
		return "session:" + c.Session.ID
	}
	return "principal:" + c.Principal.ID
}
