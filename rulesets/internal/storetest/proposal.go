package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// apply applies operations that must succeed.
func apply(t *testing.T, s ruleset.Store, ops ...ruleset.Operation) []ruleset.Outcome {
	t.Helper()
	outcomes, err := s.Apply(t.Context(), ops, ruleset.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// Proposals are numbered, commented on and decided once, and are no rulesets.
func proposals(t *testing.T, s ruleset.Store, clock *Clock, again func() ruleset.Store) {
	ann, bob := ruleset.By{Author: "ann", Client: "editor", Message: "why"}, ruleset.By{Author: "bob", Message: "no"}
	for i, data := range []string{"one", "two"} {
		made := apply(t, again(), ruleset.OpenProposal(data, ann))
		if n := ruleset.ProposalNumber(made[0].Move.Label); n != i+1 {
			t.Errorf("the number is %d, want %d", n, i+1)
		}
	}
	clock.Set(start.Add(time.Hour))
	apply(t, s, ruleset.MoveProposal(1, ruleset.Open, bob))
	apply(t, s, ruleset.MoveProposal(1, ruleset.Refused, bob))
	moves, err := again().LabelMoves(t.Context(), ruleset.ProposalLog)
	if err != nil {
		t.Fatal(err)
	}
	later := start.Add(time.Hour)
	want := []ruleset.Proposal{
		{Number: 2, At: start, By: ann, Data: "two", State: ruleset.Open},
		{Number: 1, At: start, By: ann, Data: "one", State: ruleset.Refused, Events: []ruleset.ProposalEvent{
			{State: ruleset.Open, At: later, By: bob}, {State: ruleset.Refused, At: later, By: bob},
		}},
	}
	if diff := cmp.Diff(want, ruleset.ProposalsOf(moves)); diff != "" {
		t.Errorf("proposals (-want +got):\n%s", diff)
	}
	_, err = s.Apply(t.Context(), []ruleset.Operation{ruleset.MoveProposal(1, ruleset.Accepted, bob)}, ruleset.ApplyOptions{})
	if _, ok := errors.AsType[*ruleset.DecidedError](err); !ok {
		t.Errorf("deciding twice: %v", err)
	}
	_, err = s.Apply(t.Context(), []ruleset.Operation{ruleset.MoveProposal(3, ruleset.Accepted, bob)}, ruleset.ApplyOptions{})
	if _, ok := errors.AsType[*ruleset.NoProposalError](err); !ok {
		t.Errorf("deciding on none: %v", err)
	}
	if n, err := ruleset.Count(t.Context(), s); err != nil || n != 0 {
		t.Errorf("%d rulesets, %v", n, err)
	}
	if pruned, err := ruleset.Prune(t.Context(), s, ruleset.Retention{Revisions: 1}, false); err != nil || pruned.Revisions != 0 {
		t.Errorf("pruned %+v, %v", pruned, err)
	}
}

// A proposal is accepted once, together with what it changes, however many try.
func acceptedOnce(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Markdown: "one"})
	apply(t, s, ruleset.OpenProposal("data", ruleset.By{Author: "ann"}))
	two, wins := "two", 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 5 {
		handle := again()
		wg.Go(func() {
			_, err := handle.Apply(t.Context(), []ruleset.Operation{
				{Name: "a", Update: &ruleset.Patch{Markdown: &two, IfRev: 1, By: ruleset.By{Author: "ann", Proposal: 1}}},
				ruleset.MoveProposal(1, ruleset.Accepted, ruleset.By{Author: "bob"}),
			}, ruleset.ApplyOptions{})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				wins++
			}
		})
	}
	wg.Wait()
	all := revisions(t, again(), "a")
	if wins != 1 || len(all) != 2 || all[1].By.Proposal != 1 || all[1].Content.Markdown != two {
		t.Errorf("accepted %d times: %+v", wins, all)
	}
	moves, err := s.LabelMoves(t.Context(), ruleset.ProposalLog)
	if err != nil || len(moves) != 2 {
		t.Errorf("moves %v, %v", moves, err)
	}
}
