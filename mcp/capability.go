package mcp

import (
	"slices"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// A capability is a part of a server on which methods depend: a server without
// prompts answers prompts/list with -32601 and does not declare the capability.
type capability int

const (
	always capability = iota
	hasTools
	hasResources
	hasPrompts
	hasCompletions
	hasTasks
	hasSkills
	hasDirectories
)

// offers reports whether the tables provide the capability.
func (r *rows) offers(c capability) bool {
	switch c {
	case hasTools:
		return len(r.listed) > 0
	case hasResources:
		return len(r.sources) > 0
	case hasPrompts:
		return len(r.prompts) > 0 || len(r.promptsOf) > 0 || r.documented()&CapabilityPrompts != 0
	case hasCompletions:
		return r.completes()
	case hasTasks:
		return slices.ContainsFunc(r.listed, func(t *boundTool) bool { return t.Task != TaskNever })
	case hasSkills:
		return slices.ContainsFunc(r.sources, func(src *boundSource) bool { return src.Skills != nil })
	case hasDirectories:
		return slices.ContainsFunc(r.sources, func(src *boundSource) bool { return src.Directory != nil })
	case always:
	}
	return true
}

// documented returns the capabilities in the documents of the tables, also those for which
// the server has nothing to offer, and those of the rows of tables without a document.
func (r *rows) documented() (o Capabilities) {
	for _, t := range r.tables {
		if t.Documented != nil {
			o |= t.Documented.Capabilities
		} else {
			o |= t.capabilities()
		}
	}
	return o
}

// capabilities returns the capabilities that the rows of the table need.
func (t *Table) capabilities() (o Capabilities) {
	if len(t.Tools) > 0 {
		o |= CapabilityTools
	}
	if len(t.Resources) > 0 {
		o |= CapabilityResources
	}
	if len(t.Prompts) > 0 || t.PromptSource != nil {
		o |= CapabilityPrompts
	}
	return o
}

// changing returns the lists that may change in any table, for listChanged in the
// declaration. The protocol has one declaration for all families.
func (r *rows) changing() (o Capabilities) {
	for _, t := range r.tables {
		o |= t.Changing
	}
	return o
}

// visible returns the tables with a tool, prompt or resource that the principal
// may see. The principal is not notified of changes of other tables: a notification
// would tell that there is something, and when it changes.
func (r *rows) visible(p host.Principal) (v change) {
	for i, t := range r.tables {
		bit := tableSet(1) << i
		if slices.ContainsFunc(t.Tools, func(t Tool) bool { return t.allowed(p) }) {
			v.tools |= bit
		}
		if t.showsPrompts(p) {
			v.prompts |= bit
		}
		if slices.ContainsFunc(t.Resources, func(r ResourceSource) bool { return p.Allows(r.Scope) }) {
			v.resources |= bit
		}
	}
	return v
}

// showsPrompts reports whether the principal may see a prompt of the table.
func (t *Table) showsPrompts(p host.Principal) bool {
	if t.PromptSource != nil && p.Allows(t.PromptSource.Scope) {
		return true
	}
	return slices.ContainsFunc(t.Prompts, func(row Prompt) bool { return p.Allows(row.Scope) })
}

// promised returns the tables whose lists may change. Only for those was
// listChanged declared, and only of those may the server notify a client
// (basic/lifecycle, "Operation": both sides use negotiated capabilities only).
func (r *rows) promised() (v change) {
	for i, t := range r.tables {
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

// completes reports whether any prompt or resource template of the server may
// complete arguments, and so whether the server declares `completions`.
func (r *rows) completes() bool {
	for _, src := range r.sources {
		if src.Complete != nil {
			return true
		}
	}
	for _, p := range r.prompts {
		if p.Complete != nil {
			return true
		}
	}
	return len(r.promptsOf) > 0 // their prompts may complete arguments
}
