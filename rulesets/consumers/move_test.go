package consumers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Consumers that move to another book are not lost where they were: they are in a file
// beside, with those that moved before.
func TestMoveTo(t *testing.T) {
	now, dir := noon, t.TempDir()
	from := OpenFile(filepath.Join(dir, "from.json"), at(&now))
	var want []Consumer
	for n := range 3 {
		to := OpenFile(filepath.Join(dir, fmt.Sprint("to", n)), at(&now))
		if err := from.MoveTo(t.Context(), to); err != nil || len(allOf(t, to)) != 0 {
			t.Fatalf("nothing to move: %v", err)
		}
		c := Consumer{Project: fmt.Sprint("p", n), Client: "cursor", Seen: noon, Rulesets: map[ruleset.Name]int{"a": n + 1}}
		report(t, from, Report{Project: c.Project, Client: c.Client, Rulesets: c.Rulesets})
		if err := from.MoveTo(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		want = append(want, c)
		if diff := cmp.Diff([]Consumer{c}, allOf(t, to)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if diff := cmp.Diff(want, allOf(t, OpenFile(filepath.Join(dir, "from.json.moved"), at(&now)))); diff != "" {
			t.Errorf("beside: -want +got:\n%s", diff)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "from.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
}

// A report that comes while consumers move is moved, or is in the file afterwards.
func TestReportsWhileConsumersMove(t *testing.T) {
	now, dir := noon, t.TempDir()
	file := filepath.Join(dir, "from.json")
	to := OpenFile(filepath.Join(dir, "to.json"), at(&now))
	const reports = 50
	var writing sync.WaitGroup
	writing.Go(func() {
		from := OpenFile(file, func() time.Time { return noon }) // another process
		for n := range reports {
			if err := from.Report(t.Context(), Report{Client: fmt.Sprint("c", n), Key: "k", Rulesets: map[ruleset.Name]int{"a": 1}}); err != nil {
				t.Error(err)
			}
		}
	})
	for range reports {
		if err := OpenFile(file, at(&now)).MoveTo(t.Context(), to); err != nil {
			t.Error(err)
		}
	}
	writing.Wait()
	if err := OpenFile(file, at(&now)).MoveTo(t.Context(), to); err != nil {
		t.Error(err)
	}
	if got := len(allOf(t, to)); got != reports {
		t.Errorf("%d consumers, want %d", got, reports)
	}
}
