package mcp

import (
	"context"
	"slices"
)

// A method is a row of the protocol: who has it and how it is served.
type method struct {
	name  string
	eras  eras
	wants Feature // of the revision, 0 for none
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
	{"initialize", legacyEra, 0, always, notCached, serveInitialize},
	{"ping", legacyEra, 0, always, notCached, servePing},
	{"server/discover", modernEra, 0, always, cachePublic, serveDiscover},
	{"tools/list", bothEras, 0, hasTools, cachePrivate, serveToolsList},
	{"tools/call", bothEras, 0, hasTools, notCached, serveToolsCall},
	{"resources/list", bothEras, 0, hasResources, cacheNever, serveResourcesList},
	{"resources/templates/list", bothEras, 0, hasResources, cachePrivate, serveTemplatesList},
	{"resources/read", bothEras, 0, hasResources, cacheNever, serveResourcesRead},
	{"resources/subscribe", legacyEra, Subscriptions, hasResources, notCached, serveSubscribe},
	{"resources/unsubscribe", legacyEra, Subscriptions, hasResources, notCached, serveUnsubscribe},
	{"subscriptions/listen", modernEra, 0, always, notCached, serveListen},
	{"prompts/list", bothEras, 0, hasPrompts, cachePrivate, servePromptsList},
	{"prompts/get", bothEras, 0, hasPrompts, notCached, servePromptsGet},
	{"completion/complete", bothEras, 0, hasCompletions, notCached, serveComplete},
	{"tasks/get", modernEra, 0, hasTasks, notCached, serveTasksGet},
	{"tasks/update", modernEra, 0, hasTasks, notCached, serveTasksUpdate},
	{"tasks/cancel", modernEra, 0, hasTasks, notCached, serveTasksCancel},
	{"logging/setLevel", legacyEra, 0, always, notCached, serveSetLevel},
}

func methodsByName() map[string]*method {
	m := make(map[string]*method, len(methods))
	for i := range methods {
		m[methods[i].name] = &methods[i]
	}
	return m
}

func (m *method) in(rev *Revision) bool {
	if m.wants != 0 && !rev.Has(m.wants) {
		return false
	}
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
	hasTasks
)

// offers reports whether the tables have the capability.
func (s *Server) offers(c capability) bool {
	switch c {
	case hasTools:
		return len(s.listed) > 0
	case hasResources:
		return len(s.sources) > 0
	case hasPrompts:
		return len(s.prompts) > 0 || s.documented()&CapabilityPrompts != 0
	case hasCompletions:
		return s.completes()
	case hasTasks:
		return slices.ContainsFunc(s.listed, func(t *boundTool) bool { return t.Task != TaskNever })
	case always:
	}
	return true
}

// documented are the capabilities that the tables' documents show.
func (s *Server) documented() (o Capabilities) {
	for _, t := range s.tables {
		o |= t.Baseline
	}
	return o
}

// changing are the lists that may change.
func (s *Server) changing() (o Capabilities) {
	for _, t := range s.tables {
		o |= t.Changing
	}
	return o
}

// visible returns the tables of which the principal may see a tool, a prompt or
// a resource.
func (s *Server) visible(p Principal) (v change) {
	for i, t := range s.tables {
		bit := tableSet(1) << i
		if slices.ContainsFunc(t.Tools, func(t Tool) bool { return p.Allows(t.Scope) }) {
			v.tools |= bit
		}
		if slices.ContainsFunc(t.Prompts, func(p2 Prompt) bool { return p.Allows(p2.Scope) }) {
			v.prompts |= bit
		}
		if slices.ContainsFunc(t.Resources, func(r ResourceSource) bool { return p.Allows(r.Scope) }) {
			v.resources |= bit
		}
	}
	return v
}

// promised returns the tables whose lists may change.
func (s *Server) promised() (v change) {
	for i, t := range s.tables {
		bit := tableSet(1) << i
		if t.Changing&CapabilityTools != 0 {
			v.tools |= bit
		}
		if t.Changing&CapabilityPrompts != 0 {
			v.prompts |= bit
		}
		if t.Changing&CapabilityResources != 0 {
			v.resources |= bit
		}
	}
	return v
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
