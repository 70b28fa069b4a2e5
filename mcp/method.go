package mcp

import "context"

// A method is a row of the protocol: which revisions have it, what else must be
// known of a request before it is served, and how it is served. Every question
// about a method that another file or package asks is a column here.
type method struct {
	name    string
	eras    eras
	wants   Feature // of the revision, 0 for none
	needs   capability
	cache   cacheHint
	target  target // what a request names
	order   order  // which requests it must not overtake
	purpose purpose
	// serve appends the members of the result, without braces.
	serve func(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error)
}

// A target is the member of params by which a request names what it is about.
type target uint8

const (
	noTarget     target = iota
	targetTool          // name
	targetPrompt        // name
	targetURI           // uri
	targetFile          // uri, which no HTTP header repeats
	targetTask          // taskId
)

// member returns the member of params that names the target, nil when it is absent. It is
// the JSON value, quotes included.
func (t target) member(p *params) []byte {
	switch t {
	case targetTool, targetPrompt:
		return p.name
	case targetURI, targetFile:
		return p.other("uri")
	case targetTask:
		return p.other("taskId")
	case noTarget:
	}
	return nil
}

// An order selects the requests of the same connection that a request must not overtake.
// Requests of different sequences run side by side.
type order uint8

const (
	anyOrder      order = iota
	familyOrder         // those to the family of its target
	firstResource       // those to the first family with resources, whose tools change the list
	firstPrompt         // those to the first family with a source of prompts, likewise
)

// A purpose is the use of a method to a client. Quota, audit trail and transports go by
// it, so that none of them has a list of methods of its own.
type purpose uint8

const (
	// work is the default: the request has an effect, or shows the user's data.
	work purpose = iota
	// browsing shows what the server has, changes nothing, and shows nothing of
	// the user's.
	browsing
	// probe asks whether a server is there. It is not recorded, no quota counts
	// it, and it waits for no store: a client that is refused takes the server
	// for one of an old revision, for good.
	probe
	// stream sends messages before its answer.
	stream
	// reading changes nothing outside the session of the caller.
	reading
)

// eras are the kinds of revision that have a method.
type eras uint8

const (
	legacyEra eras = 1 << iota
	modernEra
	bothEras = legacyEra | modernEra
)

// A cacheHint is the scope and the number of milliseconds for which a client may cache a
// modern result (2026-07-28, caching).
type cacheHint struct {
	scope string // "" when the method's results are not cacheable
	ttlMS int
}

// Lists depend on the rights of the key, so they are private; what other
// processes change is never fresh for long.
var (
	notCached    cacheHint
	cachePublic  = cacheHint{"public", 300_000}
	cachePrivate = cacheHint{"private", 300_000}
	cacheNever   = cacheHint{"private", 0}
)

// in reports whether a revision has the method. A method that a revision lacks is
// answered like an unknown one.
func (m *method) in(rev *Revision) bool {
	if m.wants != 0 && !rev.Has(m.wants) {
		return false
	}
	if rev.Modern {
		return m.eras&modernEra != 0
	}
	return m.eras&legacyEra != 0
}
