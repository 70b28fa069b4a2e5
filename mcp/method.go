package mcp

import "context"

// A method is a row of the protocol: who has it and how it is served.
type method struct {
	name  string
	eras  eras
	needs capability
	cache cacheHint
	// serve appends the members of the result, without braces.
	serve func(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error)
}

// eras are the kinds of revision that have a method.
type eras uint8

const (
	legacyEra eras = 1 << iota
	modernEra
	bothEras = legacyEra | modernEra
)

// A cacheHint is how long and for whom a modern result may be kept.
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

var methods = []method{
	{"initialize", legacyEra, always, notCached, serveInitialize},
	{"ping", legacyEra, always, notCached, servePing},
	{"server/discover", modernEra, always, cachePublic, serveDiscover},
	{"tools/list", bothEras, hasTools, cachePrivate, serveToolsList},
	{"tools/call", bothEras, hasTools, notCached, serveToolsCall},
	{"resources/list", bothEras, hasResources, cacheNever, serveResourcesList},
	{"resources/templates/list", bothEras, hasResources, cachePrivate, serveTemplatesList},
	{"resources/read", bothEras, hasResources, cacheNever, serveResourcesRead},
	{"resources/subscribe", legacyEra, hasResources, notCached, serveSubscribe},
	{"resources/unsubscribe", legacyEra, hasResources, notCached, serveUnsubscribe},
	{"subscriptions/listen", modernEra, always, notCached, serveListen},
	{"prompts/list", bothEras, hasPrompts, cachePrivate, servePromptsList},
	{"prompts/get", bothEras, hasPrompts, notCached, servePromptsGet},
	{"completion/complete", bothEras, hasCompletions, notCached, serveComplete},
	{"logging/setLevel", legacyEra, always, notCached, serveSetLevel},
}

func methodsByName() map[string]*method {
	m := make(map[string]*method, len(methods))
	for i := range methods {
		m[methods[i].name] = &methods[i]
	}
	return m
}

func (m *method) in(rev *Revision) bool {
	if rev.Modern {
		return m.eras&modernEra != 0
	}
	return m.eras&legacyEra != 0
}

// A capability is what a server must have for a method to exist.
type capability int

const (
	always capability = iota
	hasTools
	hasResources
	hasPrompts
	hasCompletions
)

// offers reports whether the tables have the capability.
func (s *Server) offers(c capability) bool {
	switch c {
	case hasTools:
		return len(s.listed) > 0
	case hasResources:
		return len(s.sources) > 0
	case hasPrompts:
		return len(s.prompts) > 0 || s.documented()&OfferPrompts != 0
	case hasCompletions:
		return s.completes()
	case always:
	}
	return true
}

// documented are the capabilities that the tables' documents show.
func (s *Server) documented() (o Offers) {
	for _, t := range s.tables {
		o |= t.Baseline
	}
	return o
}

func (s *Server) completes() bool {
	for _, src := range s.sources {
		if src.Complete != nil {
			return true
		}
	}
	for _, p := range s.prompts {
		if p.Complete != nil {
			return true
		}
	}
	return false
}
