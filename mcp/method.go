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

// member returns the member of params that names the target, nil when it is
// absent.
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

// An order is which requests of the same connection a request must not overtake.
type order uint8

const (
	anyOrder      order = iota
	familyOrder         // those to the family of its target
	firstResource       // those to the first family with resources, whose tools change the list
	firstPrompt         // those to the first family with a source of prompts, likewise
)

// A purpose is the use of a method to a client.
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

// A cacheHint says for whom and how many milliseconds a client may cache a modern
// result.
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

// methods is the table of all methods that clients may call, one row each. The columns
// are the fields of method.
var methods = []method{
	{"initialize", legacyEra, 0, always, notCached, noTarget, anyOrder, browsing, serveInitialize},
	{"ping", legacyEra, 0, always, notCached, noTarget, anyOrder, probe, servePing},
	{"server/discover", modernEra, 0, always, cachePublic, noTarget, anyOrder, probe, serveDiscover},
	{"tools/list", bothEras, 0, hasTools, cachePrivate, noTarget, anyOrder, browsing, serveToolsList},
	{"tools/call", bothEras, 0, hasTools, notCached, targetTool, familyOrder, work, serveToolsCall},
	{"resources/list", bothEras, 0, hasResources, cacheNever, noTarget, firstResource, browsing, serveResourcesList},
	{"resources/templates/list", bothEras, 0, hasResources, cachePrivate, noTarget, anyOrder, browsing, serveTemplatesList},
	{"resources/read", bothEras, 0, hasResources, cacheNever, targetURI, familyOrder, work, serveResourcesRead},
	{"resources/subscribe", legacyEra, Subscriptions, hasResources, notCached, targetURI, anyOrder, reading, serveSubscribe},
	{"resources/unsubscribe", legacyEra, Subscriptions, hasResources, notCached, targetURI, anyOrder, reading, serveUnsubscribe},
	{"subscriptions/listen", modernEra, 0, always, notCached, noTarget, anyOrder, stream, serveListen},
	{"resources/directory/read", bothEras, Skills, hasDirectories, notCached, targetFile, familyOrder, work, serveDirectoryRead},
	{"skills/list", bothEras, Skills, hasSkills, cacheNever, noTarget, firstResource, browsing, serveSkillsList},
	{"skills/get", bothEras, Skills, hasSkills, cacheNever, targetFile, familyOrder, work, serveSkillsGet},
	{"prompts/list", bothEras, 0, hasPrompts, cacheNever, noTarget, firstPrompt, browsing, servePromptsList},
	{"prompts/get", bothEras, 0, hasPrompts, notCached, targetPrompt, firstPrompt, reading, servePromptsGet},
	{"completion/complete", bothEras, 0, hasCompletions, notCached, noTarget, anyOrder, reading, serveComplete},
	{"tasks/get", modernEra, 0, hasTasks, notCached, targetTask, anyOrder, reading, serveTasksGet},
	{"tasks/update", modernEra, 0, hasTasks, notCached, targetTask, anyOrder, work, serveTasksUpdate},
	{"tasks/cancel", modernEra, 0, hasTasks, notCached, targetTask, anyOrder, work, serveTasksCancel},
	{"logging/setLevel", legacyEra, 0, always, notCached, noTarget, anyOrder, browsing, serveSetLevel},
}

// methodRows finds the rows by name.
var methodRows = methodsByName()

// methodsByName returns the rows of the table by their names.
func methodsByName() map[string]*method {
	m := make(map[string]*method, len(methods))
	for i := range methods {
		m[methods[i].name] = &methods[i]
	}
	return m
}

// in reports whether a revision has the method.
func (m *method) in(rev *Revision) bool {
	if m.wants != 0 && !rev.Has(m.wants) {
		return false
	}
	if rev.Modern {
		return m.eras&modernEra != 0
	}
	return m.eras&legacyEra != 0
}
