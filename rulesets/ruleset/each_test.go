package ruleset_test

import (
	"errors"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// What keeps a store from applying anything is the error of the operation.
func TestApplyEachTellsWhy(t *testing.T) {
	ops := []ruleset.Operation{{Name: "a", Delete: &ruleset.Removal{}}, {Name: "b", Delete: &ruleset.Removal{}}}
	away := &ruleset.UnavailableError{Store: "Valkey", Err: errors.New("connection refused")}
	_, err := ruleset.ApplyEach(ops, ruleset.ApplyOptions{}, func(own []ruleset.Operation, _ ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
		if own[0].Name == "b" {
			return nil, away
		}
		return make([]ruleset.Outcome, len(own)), nil
	})
	failed, ok := errors.AsType[*ruleset.OperationError](err)
	if !ok || failed.Index != 1 || failed.Name != "b" || !errors.Is(err, away) {
		t.Errorf("%v, want that operation 2 failed since the store is away", err)
	}
}
