package mcp

import (
	"context"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// A method is a row of the protocol's table: which revisions have the method,
// what must be known about a request before it is served, and how it is served.
// Everything that other files and packages need to know about a method is a
// column here.
type method struct {
	name    string
	eras    eras
	wants   host.Feature // that the revision must have, 0 for none
	needs   capability
	cache   cacheHint
	target  target // what a request of the method names
	order   order  // which requests it must not overtake
	purpose purpose
	// serve appends the members of the result, without braces.
	serve func(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error)
}

// A target is the member of params that names the subject of a request.
type target uint8

const (
	noTarget     target = iota
	targetTool          // name
	targetPrompt        // name
	targetURI           // uri
	targetFile          // uri; no HTTP header mirrors it
	targetTask          // taskId
)

// member returns the member of params that names the target, or nil if it is
// absent. It is the JSON value, including quotes.
func (t target) member(p *params.Params) []byte {
	switch t {
	case targetTool, targetPrompt:
		return p.Name
	case targetURI, targetFile:
		return p.Other("uri")
	case targetTask:
		return p.Other("taskId")
	case noTarget:
	}
	return nil
}

// An order selects the requests of a connection that a request must not overtake.
// Requests of different sequences run concurrently.
type order uint8

const (
	anyOrder      order = iota
	familyOrder         // requests to the family of the target
	firstResource       // requests to the first family with resources, whose tools change the list
	firstPrompt         // requests to the first family with a source of prompts, likewise
)

// A purpose classifies the use of a method by clients. Quota, audit trail and
// transports depend on it, so that none of them needs a list of methods of its
// own.
type purpose uint8

const (
	// work is the default: the request has an effect, or reads the user's
	// data.
	work purpose = iota
	// browsing lists what the server offers. It changes nothing and reads
	// none of the user's data.
	browsing
	// probe finds out whether a server is there. It is not recorded, not
	// charged to a quota, and does not wait for a store: a client whose probe
	// is rejected concludes for good that the server has an old revision.
	probe
	// stream sends messages before its answer.
	stream
	// reading changes nothing outside the caller's session.
	reading
)

// eras is a set of the kinds of revisions that have a method.
type eras uint8

const (
	legacyEra eras = 1 << iota
	modernEra
	bothEras = legacyEra | modernEra
)

// A cacheHint is the scope and the time in milliseconds for which a client may
// cache a result (2026-07-28, caching).
type cacheHint struct {
	scope string // "" if results of the method must not be cached
	ttlMS int
}

// Lists depend on the rights of the key, so they are private. Data that other
// processes may change is fresh for a short time only.
var (
	notCached    cacheHint
	cachePublic  = cacheHint{"public", 300_000}
	cachePrivate = cacheHint{"private", 300_000}
	cacheNever   = cacheHint{"private", 0}
)

// in reports whether a revision has the method. Other methods are answered as
// unknown ones.
func (m *method) in(rev *host.Revision) bool {
	if m.wants != 0 && !rev.Has(m.wants) {
		return false
	}
	if rev.Modern {
		return m.eras&modernEra != 0
	}
	return m.eras&legacyEra != 0
}
