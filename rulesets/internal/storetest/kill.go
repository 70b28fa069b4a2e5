package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// batchSize is the number of rulesets in each batch of applyForever.
const batchSize = 5

// applyForever applies batches until the process is killed. Each gives the same text to
// some rulesets, and to a file of the first one, and moves a label of each to it; a ruleset
// besides comes and goes.
func applyForever(s ruleset.Store) error {
	fmt.Println("open") // for KillApplying
	for {
		if err := applyNext(context.Background(), s); err != nil {
			return err
		}
	}
}

func applyNext(ctx context.Context, s ruleset.Store) error {
	_, err := s.Get(ctx, "n0")
	begun := err == nil
	_, err = s.Get(ctx, "guest")
	guest := err == nil
	text := strconv.FormatInt(time.Now().UnixNano(), 10)
	var ops []ruleset.Operation
	for i := range batchSize {
		name := ruleset.Name(fmt.Sprintf("n%d", i))
		var files []ruleset.FileChange
		if i == 0 {
			files = append(files, setFile("scripts/text", text))
		}
		if begun {
			ops = append(ops, ruleset.Operation{Name: name, Update: &ruleset.Patch{Markdown: &text, Files: files}})
		} else {
			ops = append(ops, ruleset.Operation{Name: name, Create: &ruleset.Draft{Name: name, Markdown: text, Files: files}})
		}
		ops = append(ops, ruleset.Operation{Name: name, Move: newest("production")})
	}
	if guest {
		ops = append(ops, ruleset.Operation{Name: "guest", Delete: &ruleset.Removal{}})
	} else {
		ops = append(ops, ruleset.Operation{Name: "guest", Create: &ruleset.Draft{Name: "guest", Markdown: text}})
	}
	_, err = s.Apply(ctx, ops, ruleset.ApplyOptions{})
	return err
}

// KillApplying runs a process that applies batches and kills it at any moment, again and
// again; killed is called after each kill, and then open returns a handle. Of each
// batch all is there or nothing.
func KillApplying(t *testing.T, times int, where string, killed func(), open func() ruleset.Store) {
	t.Helper()
	last := 0
	for n := 0; n < times || last == 0 && n < 10*times; n++ { // more where the machine is busy
		cmd := child(t, applying, where)
		out, err := cmd.StdoutPipe()
		if err = errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		_, _ = out.Read(make([]byte, 1))                               // it is at work, or has failed; its error is shown
		time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond) // at any moment of its work
		_ = cmd.Process.Kill()                                         // it may have failed; its error is shown
		_ = cmd.Wait()                                                 // killed
		killed()
		s := open()
		if rev := checkKilled(t, s, last); rev >= last {
			last = rev
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			return
		}
	}
	if last == 0 {
		t.Errorf("no batch was made in %d lives", times)
	}
	t.Logf("%d kills, %d batches, all or nothing each", times, last)
}

// checkKilled compares the rulesets of a batch with each other, and returns their
// revision, 0 if no batch was made yet.
func checkKilled(t *testing.T, s ruleset.Store, last int) int {
	t.Helper()
	if _, err := s.Get(t.Context(), "n0"); err != nil && last == 0 {
		return 0
	}
	first := get(t, s, "n0")
	if text := listFiles(t, filesOf(t, s), "n0")["scripts/text"]; text != first.Markdown {
		t.Errorf("the file of n0 has %q, n0 at %d has %q", text, first.Rev, first.Markdown)
	}
	for i := range batchSize {
		name := ruleset.Name(fmt.Sprintf("n%d", i))
		r := get(t, s, name)
		if r.Markdown != first.Markdown || r.Rev != first.Rev || len(revisions(t, s, name)) != first.Rev {
			t.Errorf("%s is at revision %d with %q, n0 at %d with %q", name, r.Rev, r.Markdown, first.Rev, first.Markdown)
		}
		moves, err := s.LabelMoves(t.Context(), name)
		if err != nil || len(moves) != first.Rev || ruleset.Labels(moves)["production"] != first.Rev {
			t.Errorf("%s has %d moves of its label, the last to %d, %v; want %d", name, len(moves), ruleset.Labels(moves)["production"], err, first.Rev)
		}
	}
	if all := revisions(t, s, "guest"); len(all) != first.Rev || all[len(all)-1].Deleted != (first.Rev%2 == 0) {
		t.Errorf("the guest has %d revisions after %d batches", len(all), first.Rev)
	}
	if _, err := s.Get(t.Context(), "guest"); (err == nil) != (first.Rev%2 == 1) {
		t.Errorf("the guest after %d batches: %v", first.Rev, err)
	}
	if t.Failed() {
		logTails(t, s)
	}
	if first.Rev < last {
		t.Errorf("after revision %d the rulesets are at %d", last, first.Rev)
	}
	return first.Rev
}

// KillServerApplying applies batches and ends the server of the store at any moment,
// again and again. Batches whose answer is lost may have been applied; the others are.
func KillServerApplying(t *testing.T, times int, s ruleset.Store, stop, start func()) {
	t.Helper()
	last := 0
	for range times {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			time.Sleep(time.Duration(5+rand.IntN(50)) * time.Millisecond) // at any moment
			stop()
		}()
		made := 0
		for ; applyNext(t.Context(), s) == nil; made++ { // until the server is away
		}
		<-ended
		start()
		awaitServer(t, s)
		now := checkKilled(t, s, last)
		if now < last+made {
			t.Errorf("%d batches were made after revision %d, and the rulesets are at %d", made, last, now)
		}
		last = now
	}
	t.Logf("%d kills of the server, %d batches", times, last)
}

// awaitServer waits until the store has found its server again.
func awaitServer(t *testing.T, s ruleset.Store) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		_, err := ruleset.Count(t.Context(), s)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server is still away: %v", err)
		}
	}
}

// logTails shows how the histories end.
func logTails(t *testing.T, s ruleset.Store) {
	t.Helper()
	for i := range batchSize {
		name := ruleset.Name(fmt.Sprintf("n%d", i))
		all, err := s.History(t.Context(), name)
		for _, r := range all[:min(3, len(all))] {
			t.Logf("%s@%d by %q: %q", name, r.Number, r.By.Author, r.Content.Markdown)
		}
		if err != nil {
			t.Logf("%s: %v", name, err)
		}
	}
}
