package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// labels moves two labels over three revisions, through two handles.
func labels(t *testing.T, s ruleset.Store, clock *Clock, again func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Markdown: "one"})
	for _, text := range []string{"two", "three"} {
		update(t, s, "a", ruleset.Patch{Markdown: &text})
	}
	move := func(s ruleset.Store, label ruleset.Label, to int, by ruleset.By) ruleset.LabelMove {
		t.Helper()
		m, err := ruleset.MoveLabel(t.Context(), s, "a", ruleset.LabelMove{Label: label, To: to, By: by})
		if err != nil {
			t.Fatalf("moving %s to %d: %v", label, to, err)
		}
		return m
	}
	ann := ruleset.By{Author: "ann", Client: "editor", Message: "why"}
	move(s, "production", 1, ann)
	clock.Set(start.Add(time.Hour))
	move(again(), "staging", 3, ruleset.By{})
	if m := move(s, "production", 2, ruleset.By{Author: "bob"}); m.From != 1 {
		t.Errorf("the move comes from %d", m.From)
	}
	move(s, "staging", 0, ruleset.By{})
	moves, err := again().LabelMoves(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	later := start.Add(time.Hour)
	want := []ruleset.LabelMove{
		{Label: "staging", From: 3, At: later},
		{Label: "production", From: 1, To: 2, At: later, By: ruleset.By{Author: "bob"}},
		{Label: "staging", To: 3, At: later},
		{Label: "production", To: 1, At: start, By: ann},
	}
	if diff := cmp.Diff(want, moves); diff != "" {
		t.Errorf("moves (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[ruleset.Label]int{"production": 2}, ruleset.Labels(moves)); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	refusals(t, s)
}

// refusals tries moves that cannot be made.
func refusals(t *testing.T, s ruleset.Store) {
	t.Helper()
	try := func(name ruleset.Name, label ruleset.Label, to int) error {
		_, err := ruleset.MoveLabel(t.Context(), s, name, ruleset.LabelMove{Label: label, To: to})
		return err
	}
	if _, ok := errors.AsType[*ruleset.NoRevisionError](try("a", "x", 4)); !ok {
		t.Errorf("to a revision that is not there: %v", try("a", "x", 4))
	}
	if _, ok := errors.AsType[*ruleset.NoLabelError](try("a", "x", 0)); !ok {
		t.Errorf("removing a label that is not there: %v", try("a", "x", 0))
	}
	if _, ok := errors.AsType[*ruleset.NotFoundError](try("nobody", "x", 1)); !ok {
		t.Errorf("of a ruleset that never was: %v", try("nobody", "x", 1))
	}
	if err := ruleset.Delete(t.Context(), s, "a", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	if err := try("a", "x", 4); err == nil {
		t.Error("a deletion got a label")
	}
	if err := try("a", "x", 3); err != nil {
		t.Errorf("a revision before the deletion: %v", err)
	}
}

// labelIsSetOnce has several handles set one immutable label.
func labelIsSetOnce(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a"})
	const contenders = 6
	for i := range contenders - 1 {
		text := fmt.Sprint(i)
		update(t, s, "a", ruleset.Patch{Markdown: &text})
	}
	var mu sync.Mutex
	var won []int
	var wg sync.WaitGroup
	for i := range contenders {
		handle := again()
		wg.Go(func() {
			_, err := ruleset.MoveLabel(t.Context(), handle, "a", ruleset.LabelMove{Label: "v1", To: i + 1, Once: true})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, i+1)
			} else if _, ok := errors.AsType[*ruleset.FixedLabelError](err); !ok {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	moves, err := s.LabelMoves(t.Context(), "a")
	if err != nil || len(won) != 1 || len(moves) != 1 || moves[0].To != won[0] {
		t.Errorf("won by %v, moves %v, %v", won, moves, err)
	}
}
