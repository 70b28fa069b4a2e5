package layered_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/layered"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/internal/storetest"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A store over an empty one and a store that is not written behaves as the one that is
// written.
func TestContract(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock *storetest.Clock) (ruleset.Store, func() ruleset.Store) {
		first, written, last := memstore.New(clock.Now), memstore.New(clock.Now), memstore.New(clock.Now)
		again := func() ruleset.Store {
			return layered.New([]layered.Part{{Store: first, ReadOnly: true}, {Store: written}, {Store: last}})
		}
		return again(), again
	})
}

// three returns a store over one that is read, one that is written and one behind it.
func three(t *testing.T) (s *layered.Store, written ruleset.Store) {
	t.Helper()
	now := func() time.Time { return time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC) }
	parts := []layered.Part{
		{Store: memstore.New(now), Name: "org", Layer: "org", ReadOnly: true}, {Store: memstore.New(now), Name: "mine", Layer: "user"}, {Store: memstore.New(now), Name: "team"},
	}
	for i, names := range [][]ruleset.Name{{"law"}, {"law", "own"}, {"law", "own", "shared"}} {
		for _, name := range names {
			if _, err := ruleset.Create(t.Context(), parts[i], ruleset.Draft{Name: name, Markdown: parts[i].Name}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return layered.New(parts), parts[1].Store
}

// seen lists the rulesets with their texts and layers.
func seen(t *testing.T, s ruleset.Store) []string {
	t.Helper()
	metas, _, err := s.List(t.Context(), ruleset.Page{})
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, m := range metas {
		r, err := s.Get(t.Context(), m.Name)
		if err != nil || r.Layer != m.Layer {
			t.Fatal(r.Layer, m.Layer, err)
		}
		all = append(all, fmt.Sprintf("%s %q %s@%d", m.Name, m.Layer, r.Markdown, r.Rev))
	}
	return all
}

func expectSeen(t *testing.T, s ruleset.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, seen(t, s)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The first store with a name wins, and an update copies what a later one has.
func TestFirstWins(t *testing.T) {
	s, written := three(t)
	expectSeen(t, s, `law "org" org@1`, `own "user" mine@1`, `shared "" team@1`)
	text := "changed"
	if _, err := ruleset.Update(t.Context(), s, "shared", ruleset.Patch{Markdown: &text, IfRev: 2}); !errors.As(err, new(*ruleset.ConflictError)) {
		t.Errorf("at another revision: %v", err)
	}
	if _, err := ruleset.Update(t.Context(), s, "shared", ruleset.Patch{Markdown: &text, IfRev: 1, By: ruleset.By{Author: "ann"}}); err != nil {
		t.Fatal(err)
	}
	expectSeen(t, s, `law "org" org@1`, `own "user" mine@1`, `shared "user" changed@2`)
	history, err := s.History(t.Context(), "shared")
	if err != nil || len(history) != 2 || history[1].By.Message != "copied from team" || history[1].Content.Markdown != "team" {
		t.Errorf("history %+v, %v", history, err)
	}
	for _, name := range []ruleset.Name{"shared", "own"} { // what is behind is seen again
		if err := ruleset.Delete(t.Context(), s, name, ruleset.Removal{}); err != nil {
			t.Fatal(err)
		}
	}
	expectSeen(t, s, `law "org" org@1`, `own "" team@1`, `shared "" team@1`)
	if n, err := ruleset.Count(t.Context(), written); err != nil || n != 1 {
		t.Errorf("%d rulesets are in the store that is written, %v", n, err)
	}
}

// What is not in the store that is written is not deleted, labelled or created again,
// and a batch says which operation fails.
func TestRefusals(t *testing.T) {
	s, _ := three(t)
	text := "changed"
	_, law := ruleset.Update(t.Context(), s, "law", ruleset.Patch{Markdown: &text})
	_, label := ruleset.MoveLabel(t.Context(), s, "shared", ruleset.LabelMove{Label: "x", Newest: true})
	for what, err := range map[string]error{"update law": law, "label": label, "delete": ruleset.Delete(t.Context(), s, "shared", ruleset.Removal{})} {
		if !errors.As(err, new(*layered.ReadOnlyError)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "shared"}); !errors.As(err, new(*ruleset.ExistsError)) {
		t.Errorf("create: %v", err)
	}
	update := func(name ruleset.Name, ifRev int) ruleset.Operation {
		return ruleset.Operation{Name: name, Update: &ruleset.Patch{Markdown: &text, IfRev: ifRev}}
	}
	for at, ops := range [][]ruleset.Operation{
		{update("law", 0)}, {update("shared", 0), update("own", 7)}, {update("shared", 0), update("own", 1), {Name: "own", Create: &ruleset.Draft{Name: "own"}}},
	} {
		_, err := s.Apply(t.Context(), ops, ruleset.ApplyOptions{})
		if failed, ok := errors.AsType[*ruleset.OperationError](err); !ok || failed.Index != at {
			t.Errorf("batch %d: %v", at, err)
		}
	}
	expectSeen(t, s, `law "org" org@1`, `own "user" mine@1`, `shared "" team@1`)
	outcomes, err := s.Apply(t.Context(), []ruleset.Operation{update("shared", 1), update("own", 1)}, ruleset.ApplyOptions{})
	if err != nil || len(outcomes) != 2 || outcomes[0].Rev != 2 || outcomes[1].Name != "own" {
		t.Errorf("%+v, %v", outcomes, err)
	}
	expectSeen(t, s, `law "org" org@1`, `own "user" changed@2`, `shared "user" changed@2`)
}

// A name that several stores have counts once, however few names are asked for.
func TestNamesOfSeveralStores(t *testing.T) {
	s, _ := three(t)
	names, total, err := s.Names(t.Context(), "", 1)
	if err != nil || len(names) != 1 || names[0] != "law" || total != 3 {
		t.Errorf("%v of %d, %v, want law of 3", names, total, err)
	}
}
