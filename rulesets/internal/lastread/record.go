package lastread

import (
	"context"
	"net/netip"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Reader identifies a client.
type Reader struct {
	Principal string // whose requests they are
	Session   string // "" if the client has none
	// Program and Addr tell clients without a session apart.
	Program string
	Addr    netip.AddrPort
	// Local reports that all calls of the client reach this process.
	Local bool
}

// A Record has the revisions that clients read last. Revision 0 means none.
type Record interface {
	// Read records that a client read a revision, or that it knows none.
	Read(ctx context.Context, who Reader, name ruleset.Name, rev int) error
	// Last returns the revision that a client read last.
	Last(ctx context.Context, who Reader, name ruleset.Name) (rev int, err error)
	// End forgets the reads of a session in this process.
	End(session string)
	// Close releases the record.
	Close() error
}

// An identity is the key of the reads of a client.
type identity struct {
	session, principal, program string
	addr                        netip.AddrPort
}

// identities returns the keys under which the reads of a client are recorded, and how many
// there are. A client without a session has two: its connection, which tells it from others
// of the same program and machine, and its machine, for a client that has connected again.
func (r *Reader) identities() (ids [2]identity, n int) {
	if r.Session != "" {
		ids[0] = identity{session: r.Session}
		return ids, 1
	}
	ids[0] = identity{principal: r.Principal, program: r.Program, addr: r.Addr}
	ids[1] = r.machine()
	return ids, 2
}

// shared returns the identity under which servers share the reads of a client.
func (r *Reader) shared() identity {
	ids, n := r.identities()
	return ids[n-1]
}

// machine returns the identity of a client without a session on whatever connection.
func (r *Reader) machine() identity {
	return identity{principal: r.Principal, program: r.Program, addr: netip.AddrPortFrom(r.Addr.Addr(), 0)}
}
