package mcp

import (
	"maps"
	"slices"
)

// Scopes returns the scopes that the rows of the table name, in order of name.
func (t *Table) Scopes() []Scope {
	named := map[Scope]bool{}
	for i := range t.Tools {
		named[t.Tools[i].Scope] = true
	}
	for i := range t.Resources {
		named[t.Resources[i].Scope] = true
	}
	for i := range t.Prompts {
		named[t.Prompts[i].Scope] = true
	}
	if t.PromptSource != nil {
		named[t.PromptSource.Scope] = true
	}
	delete(named, "")
	return slices.Sorted(maps.Keys(named))
}
