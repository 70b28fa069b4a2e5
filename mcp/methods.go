package mcp

import "github.com/triptych-mcp/triptych/mcp/host"

// methods is the table of all methods that clients may call. The columns are the
// fields of method, and a row is all that the program knows of a method:
//
//   - An era that the revision of a request is not in, a feature that it lacks or a
//     capability that no table provides makes the method unknown (-32601).
//   - The cache hint is sent to modern clients only.
//   - The target is the subject of the audit record; HTTP headers mirror most kinds.
//   - The order keeps what a client sends in sequence: a ruleset that is created and
//     read in two lines is found.
//   - The purpose decides about quota and audit trail.
//
// To add a method, add a row and its function; docs/revisions.md is generated from it.
var methods = []method{
	// name, eras, feature, capability, cache, target, order, purpose, function
	{"initialize", legacyEra, 0, always, notCached, noTarget, anyOrder, browsing, serveInitialize},
	{"ping", legacyEra, 0, always, notCached, noTarget, anyOrder, probe, servePing},
	{"server/discover", modernEra, 0, always, cachePublic, noTarget, anyOrder, probe, serveDiscover},
	{"tools/list", bothEras, 0, hasTools, cachePrivate, noTarget, anyOrder, browsing, serveToolsList},
	{"tools/call", bothEras, 0, hasTools, notCached, targetTool, familyOrder, work, serveToolsCall},
	{"resources/list", bothEras, 0, hasResources, cacheNever, noTarget, firstResource, browsing, serveResourcesList},
	{"resources/templates/list", bothEras, 0, hasResources, cachePrivate, noTarget, anyOrder, browsing, serveTemplatesList},
	{"resources/read", bothEras, 0, hasResources, cacheNever, targetURI, familyOrder, work, serveResourcesRead},
	{"resources/subscribe", legacyEra, host.Subscriptions, hasResources, notCached, targetURI, anyOrder, reading, serveSubscribe},
	{"resources/unsubscribe", legacyEra, host.Subscriptions, hasResources, notCached, targetURI, anyOrder, reading, serveUnsubscribe},
	{"subscriptions/listen", modernEra, 0, always, notCached, noTarget, anyOrder, stream, serveListen},
	{"resources/directory/read", bothEras, host.Skills, hasDirectories, notCached, targetFile, familyOrder, work, serveDirectoryRead},
	{"skills/list", bothEras, host.Skills, hasSkills, cacheNever, noTarget, firstResource, browsing, serveSkillsList},
	{"skills/get", bothEras, host.Skills, hasSkills, cacheNever, targetFile, familyOrder, work, serveSkillsGet},
	{"prompts/list", bothEras, 0, hasPrompts, cacheNever, noTarget, firstPrompt, browsing, servePromptsList},
	{"prompts/get", bothEras, 0, hasPrompts, notCached, targetPrompt, firstPrompt, reading, servePromptsGet},
	{"completion/complete", bothEras, 0, hasCompletions, notCached, noTarget, anyOrder, reading, serveComplete},
	{"tasks/get", modernEra, 0, hasTasks, notCached, targetTask, anyOrder, reading, serveTasksGet},
	{"tasks/update", modernEra, 0, hasTasks, notCached, targetTask, anyOrder, work, serveTasksUpdate},
	{"tasks/cancel", modernEra, 0, hasTasks, notCached, targetTask, anyOrder, work, serveTasksCancel},
	{"logging/setLevel", legacyEra, 0, always, notCached, noTarget, anyOrder, browsing, serveSetLevel},
}

// methodRows holds the rows by name.
var methodRows = methodsByName()

// methodsByName returns the rows of the table by their names. They point into the
// table, which does not change.
func methodsByName() map[string]*method {
	m := make(map[string]*method, len(methods))
	for i := range methods {
		m[methods[i].name] = &methods[i]
	}
	return m
}
