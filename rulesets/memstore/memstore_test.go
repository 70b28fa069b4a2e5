package memstore_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock *storetest.Clock) (ruleset.Store, func() ruleset.Store) {
		s := memstore.New(clock.Now)
		return s, func() ruleset.Store { return s }
	})
}
