package recording_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile/recfiletest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
)

// What a recording goes on with takes memory, and is dropped when another one begins.
func TestPastKeepsLast(t *testing.T) {
	if first, last := recording.KeptAfterAdding(3); first || !last {
		t.Errorf("kept of the first part: %t, of the last one: %t", first, last)
	}
}

// The inputs of a recording are known without a replay, which this one does not permit: its
// program is none.
func TestInputsWithoutReplay(t *testing.T) {
	goesOn := recfile.Event{Kind: recfile.Switch, Position: 15, Number: 2, Remap: recfile.Remap{Mapping: recfile.Mapping{File: -1}}}
	part := recording.PartOf(t, slices.Insert(recfiletest.Events(), 4, goesOn), 20)
	var got []history.Input
	var positions []uint64
	add := func(position uint64, in history.Input) { positions, got = append(positions, position), append(got, in) }
	if err := part.Inputs(t.Context(), 11, 20, add); err != nil {
		t.Fatal(err)
	}
	want := []history.Input{{Kind: history.Called, Number: 25}, {Kind: history.Signalled, Number: 11}, {Number: 2, Switches: true}}
	if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(positions, []uint64{12, 13, 15}) {
		t.Errorf("at %d, -want +got:\n%s", positions, diff)
	}
	got = nil
	if err := part.Inputs(t.Context(), 11, 13, add); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := part.Window(t.Context(), 12); err == nil {
		t.Error("it was replayed")
	}
}

// An image that is small because it compresses well takes its room when it is replayed.
func TestImageBudget(t *testing.T) {
	if err := recording.CheckImage(3<<20, 1<<20); err != nil {
		t.Error(err)
	}
	e, ok := errors.AsType[*recording.BudgetError](recording.CheckImage(8<<20, 1<<20))
	if !ok || e.Allowed != 1<<20 || e.Needed < 2<<20 {
		t.Errorf("%+v", e)
	}
}
