package memstore_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/internal/storetest"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock *storetest.Clock) (ruleset.Store, func() ruleset.Store) {
		s := memstore.New(clock.Now)
		return s, func() ruleset.Store { return s }
	})
}

// A server answers calls before its watch has begun, and tells of them still.
func TestFirstWatchHearsWhatWasBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memstore.New(time.Now)
		if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "a"}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{2, 1} { // the first watch, the second; with its beginning
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			var heard []ruleset.Change
			if err := s.Watch(ctx, func(c ruleset.Change) { heard = append(heard, c) }); err != nil {
				t.Fatal(err)
			}
			stop()
			if len(heard) != want {
				t.Errorf("heard %v, want %d changes", heard, want)
			}
		}
	})
}
