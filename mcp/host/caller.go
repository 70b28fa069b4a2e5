package host

import (
	"net/netip"
	"slices"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A Scope is a right, such as "rulesets:write". The rows of tables name the
// scopes that exist. There is no other list of them, so a new family brings its
// own.
type Scope string

// A Principal is the account that a request is charged to, with its rights. It is
// a value: transports make one for each request, so a change of rights affects
// the next request.
type Principal struct {
	// ID is stable and unique among principals. It is not secret.
	ID string
	// Scopes holds the rights; nil means every right.
	Scopes []Scope
	// Toolsets holds the groups of tools that the principal may see and call,
	// as in [ToolSelection]; nil means all.
	Toolsets []string
	// Label selects the version of their data that families with labelled
	// versions show to the principal; "" leaves the choice to the family.
	Label string
	// Client is the program that acts for the principal by a login, as it calls itself; "" for
	// one that shows the credentials of the principal.
	Client string
	// Account is data of the transport about the principal, which no other
	// package reads.
	Account any
}

// Local returns the principal of the process that started this one, over standard
// input and output: it has every right and no limits.
func Local() Principal { return Principal{ID: "local"} }

// Allows reports whether the principal has a right. Every principal has the empty
// right. A principal with nil Scopes has every right, one with empty Scopes none.
func (p Principal) Allows(s Scope) bool {
	return s == "" || p.Scopes == nil || slices.Contains(p.Scopes, s)
}

// A Caller is the authenticated sender of a request. The principal of the zero
// Caller has no name and every right, so transports must set Principal.
type Caller struct {
	Principal Principal
	// Session is the state of a legacy client, or nil if the transport or the
	// revision has none. If it is nil and Connection is set, Bind makes one.
	Session *Session
	// Connection reports that all requests of this caller come from one
	// client process over one connection, as on stdio.
	Connection bool
	// Revision governs requests that name none when there is no session: over
	// HTTP, the one in the header. Nil means the baseline.
	Revision *Revision
	// Unsolicited reports that Send can carry messages that belong to no
	// request, such as changes of lists. That is always so for a Connection.
	Unsolicited bool
	// Tools selects tools of the server; nil selects all.
	Tools *ToolSelection
	// Addr is the address of the client, the zero value on stdio.
	Addr netip.AddrPort
	// Send sends messages to the client that belong to this connection or
	// request; nil if none can be sent.
	Send jsonrpc.Sender
}

// Governing returns the revision of requests that name none themselves.
func (c *Caller) Governing() *Revision {
	switch {
	case c.Session != nil:
		return c.Session.Revision()
	case c.Revision != nil:
		return c.Revision
	}
	return baseline
}

// StateKey returns the key of the state that a caller's calls share: that of the
// connection or the legacy session, else of the principal. Prefixes prevent an id
// that a client could choose from colliding with the key of another's state.
func (c *Caller) StateKey() string {
	if c.Session != nil {
		return "session:" + c.Session.ID
	}
	return "principal:" + c.Principal.ID
}
