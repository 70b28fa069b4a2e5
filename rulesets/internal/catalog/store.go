package catalog

import (
	"context"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Store returns the store, through which changes are known to the catalog at once.
func (c *Catalog) Store() ruleset.Store { return noted{c.store, c} }

// noted is a store whose changes are noted.
type noted struct {
	ruleset.Store
	catalog *Catalog
}

// changed notes a change, also one that failed: it may have been made all the same.
func (s noted) changed(name ruleset.Name) {
	s.catalog.note(ruleset.Change{Kind: ruleset.Unknown, Name: name})
}

// Create implements [ruleset.Store].
func (s noted) Create(ctx context.Context, d ruleset.Draft) (ruleset.Ruleset, error) {
	defer s.changed(d.Name)
	return s.Store.Create(ctx, d)
}

// Update implements [ruleset.Store].
func (s noted) Update(ctx context.Context, name ruleset.Name, p ruleset.Patch) (ruleset.Ruleset, error) {
	defer s.changed(name)
	return s.Store.Update(ctx, name, p)
}

// Delete implements [ruleset.Store].
func (s noted) Delete(ctx context.Context, name ruleset.Name, r ruleset.Removal) error {
	defer s.changed(name)
	return s.Store.Delete(ctx, name, r)
}

// Unwrap returns the store itself. See [ruleset.As].
func (s noted) Unwrap() ruleset.Store { return s.Store }

// Apply implements [ruleset.Store].
func (s noted) Apply(ctx context.Context, ops []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
	defer func() {
		for i := range ops {
			s.changed(ops[i].Name)
		}
	}()
	return s.Store.Apply(ctx, ops, o)
}
