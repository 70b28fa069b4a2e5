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

// Unwrap returns the store itself. See [ruleset.As].
func (s noted) Unwrap() ruleset.Store { return s.Store }

// Apply implements [ruleset.Store]. It notes also changes that failed: they may have been
// made all the same.
func (s noted) Apply(ctx context.Context, ops []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
	defer func() {
		for i := range ops {
			s.catalog.note(ruleset.Change{Kind: ruleset.Unknown, Name: ops[i].Name})
		}
	}()
	return s.Store.Apply(ctx, ops, o)
}
