// Package storetest tests the contract of [ruleset.Store]. Every store passes it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Clock is a time that a test sets.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set changes it.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

var start = time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC)

// A test is one test of the suite.
type test struct {
	name string
	run  func(t *testing.T, s ruleset.Store, clock *Clock, again func() ruleset.Store)
}

// batches are the tests of batches over several rulesets.
var batches = []test{
	{"a batch", batch},
	{"a batch that fails does nothing", batchFails},
	{"batches are won once", batchesAreWonOnce},
	{"a proposal is accepted once", acceptedOnce},
}

// An Open returns a handle of a new, empty store with that clock, and a function that
// returns a second handle of the same store.
type Open func(t *testing.T, clock *Clock) (store ruleset.Store, again func() ruleset.Store)

// Run runs the suite.
func Run(t *testing.T, open Open) {
	run(t, open, singles)
	run(t, open, batches)
}

// RunOnCluster runs the suite for a store on a cluster, which refuses batches over
// several slots.
func RunOnCluster(t *testing.T, open Open) {
	run(t, open, singles)
	run(t, open, []test{{"batches over slots are refused", batchOverSlots}})
}

func run(t *testing.T, open Open, tests []test) {
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			clock := &Clock{now: start}
			store, again := open(t, clock)
			tc.run(t, store, clock, again)
		})
	}
}

// singles are the tests of everything else.
var singles = []test{
	{"round trip", roundTrip},
	{"summaries", summaries},
	{"files", files},
	{"files are revised", filesAreRevised},
	{"files are pruned", filesArePruned},
	{"files are won once", filesAreWonOnce},
	{"texts survive", textsSurvive},
	{"patches", patches},
	{"last modified never goes back", timeGoesBack},
	{"times of another store are kept", timesAreKept},
	{"extra keys are kept", extraIsKept},
	{"many are read at once", reads},
	{"updates from one base conflict", updatesConflict},
	{"one update from a base wins", oneUpdateWins},
	{"history", history},
	{"an unchanged save is no revision", unchangedSave},
	{"a revision is restored", restores},
	{"a deleted ruleset is restored", undeletes},
	{"changes at another revision conflict", revisionsConflict},
	{"each revision is won once", revisionsAreWonOnce},
	{"labels", labels},
	{"an immutable label is set once", labelIsSetOnce},
	{"histories are pruned", prunes},
	{"moves of labels are heard", movesAreHeard},
	{"proposals", proposals},
	{"size limit", sizeLimit},
	{"not found", notFound},
	{"order and pages", orderAndPages},
	{"search", search},
	{"names", completion},
	{"one creation wins", oneCreationWins},
	{"updates do not revive", updatesDoNotRevive},
	{"watch hears another handle", watchHears},
	{"nothing is left", leavesNothing},
}

func create(t *testing.T, s ruleset.Store, d ruleset.Draft) ruleset.Ruleset {
	t.Helper()
	r, err := ruleset.Create(t.Context(), s, d)
	if err != nil {
		t.Fatalf("Create(%s): %v", d.Name, err)
	}
	return r
}

func get(t *testing.T, s ruleset.Store, name ruleset.Name) ruleset.Ruleset {
	t.Helper()
	r, err := s.Get(t.Context(), name)
	if err != nil {
		t.Fatalf("Get(%s): %v", name, err)
	}
	return r
}

func roundTrip(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	d := ruleset.Draft{Name: "go_style", Description: "Go style", Tags: []string{"go", "style"}, Markdown: "# Go\n\nText\n"}
	want := ruleset.Ruleset{
		Meta:     ruleset.Meta{Name: "go_style", Description: "Go style", Tags: []string{"go", "style"}, CreatedAt: start, LastModified: start},
		Markdown: "# Go\n\nText\n", Rev: 1,
	}
	if diff := cmp.Diff(want, create(t, s, d)); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, get(t, again(), "go_style")); diff != "" {
		t.Errorf("read by another handle (-want +got):\n%s", diff)
	}
	metas, next, err := s.List(t.Context(), ruleset.Page{})
	if err != nil || next != "" {
		t.Fatalf("List: %q, %v", next, err)
	}
	want.Summary = ruleset.Summary{Bytes: len(want.Markdown), Activation: "always"}
	if diff := cmp.Diff([]ruleset.Meta{want.Meta}, metas); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if err := ruleset.Delete(t.Context(), s, "go_style", ruleset.Removal{}); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if metas, _, err := s.List(t.Context(), ruleset.Page{}); err != nil || len(metas) != 0 {
		t.Errorf("after its deletion the list is %v, %v", metas, err)
	}
}

func textsSurvive(t *testing.T, s ruleset.Store, _ *Clock, _ func() ruleset.Store) {
	texts := []string{
		"", "plain", "two\nlines", "colon: and # hash", "- dash", "[a, b]", "{a: b}", "'quotes' \"both\"", "true", "null", "2025-10-29", "12",
		" spaces ", "tab\tinside", "ends with\n", "---", "---\n\nname: x", "é 日本 🎉", "back\\slash", "%", "@at", "`tick`", "\u2028", strings.Repeat("long ", 1000),
	}
	for i, text := range texts {
		name := ruleset.Name(fmt.Sprintf("text_%d", i))
		d := ruleset.Draft{Name: name, Description: text, Tags: []string{text, "x, y", text}, Markdown: text + "\n---\n" + text}
		create(t, s, d)
		got := get(t, s, name)
		if got.Description != text || got.Markdown != d.Markdown || !cmp.Equal(got.Tags, d.Tags) {
			t.Errorf("text %q came back as %q, %q, %q", text, got.Description, got.Tags, got.Markdown)
		}
	}
}

func patches(t *testing.T, s ruleset.Store, clock *Clock, _ func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a", Description: "old", Tags: []string{"x"}, Markdown: "old text"})
	later := start.Add(time.Hour)
	clock.Set(later)
	description, none, text := "new", []string{}, "new text"
	for i, tc := range []struct {
		patch ruleset.Patch
		want  ruleset.Ruleset
	}{
		{ruleset.Patch{Description: &description}, ruleset.Ruleset{Meta: ruleset.Meta{Description: "new", Tags: []string{"x"}}, Markdown: "old text"}},
		{ruleset.Patch{Tags: &none}, ruleset.Ruleset{Meta: ruleset.Meta{Description: "new", Tags: []string{}}, Markdown: "old text"}},
		{ruleset.Patch{Markdown: &text}, ruleset.Ruleset{Meta: ruleset.Meta{Description: "new", Tags: []string{}}, Markdown: "new text"}},
	} {
		tc.want.Name, tc.want.CreatedAt, tc.want.LastModified, tc.want.Rev = "a", start, later, i+2
		got, err := ruleset.Update(t.Context(), s, "a", tc.patch)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("updated (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(tc.want, get(t, s, "a")); diff != "" {
			t.Errorf("read (-want +got):\n%s", diff)
		}
	}
}

func timeGoesBack(t *testing.T, s ruleset.Store, clock *Clock, _ func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a"})
	clock.Set(start.Add(-time.Hour))
	text := "x"
	if _, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "a"); !got.LastModified.Equal(start) || !got.CreatedAt.Equal(start) {
		t.Errorf("times %v, %v, want %v", got.CreatedAt, got.LastModified, start)
	}
}

func timesAreKept(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	created, modified := start.Add(-48*time.Hour), start.Add(-24*time.Hour)
	for _, tc := range []struct{ created, modified, wantCreated, wantModified time.Time }{
		{created, modified, created, modified},
		{created, time.Time{}, created, created},
		{time.Time{}, modified, modified, modified},
		{modified, created, modified, modified}, // a change is not before the creation
		{time.Time{}, time.Time{}, start, start},
	} {
		create(t, s, ruleset.Draft{Name: "a", CreatedAt: tc.created, LastModified: tc.modified})
		if r := get(t, again(), "a"); !r.CreatedAt.Equal(tc.wantCreated) || !r.LastModified.Equal(tc.wantModified) {
			t.Errorf("drafted %v, %v: got %v, %v", tc.created, tc.modified, r.CreatedAt, r.LastModified)
		}
		if err := ruleset.Delete(t.Context(), s, "a", ruleset.Removal{}); err != nil {
			t.Fatal(err)
		}
	}
}

func extraIsKept(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	extra := "globs: \"**/*\"\nalwaysApply: false\n"
	if r := create(t, s, ruleset.Draft{Name: "a", Extra: extra}); r.Extra != extra {
		t.Errorf("created with %q", r.Extra)
	}
	text := "new"
	if r, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text}); err != nil || r.Extra != extra {
		t.Errorf("after an update of the text: %q, %v", r.Extra, err)
	}
	for _, want := range []string{"globs: src/*.go\n", ""} {
		if r, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Extra: &want}); err != nil || r.Extra != want {
			t.Errorf("updated to %q: %q, %v", want, r.Extra, err)
		}
		if r := get(t, again(), "a"); r.Extra != want || r.Markdown != "new" {
			t.Errorf("read %q, want %q", r.Extra, want)
		}
	}
}

func updatesConflict(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	base := create(t, s, ruleset.Draft{Name: "a", Description: "d", Tags: []string{"x"}, Markdown: "old"})
	other := again()
	theirs, mine := "theirs", "mine"
	if _, err := ruleset.Update(t.Context(), other, "a", ruleset.Patch{Description: &theirs, Base: &base}); err != nil {
		t.Fatal(err)
	}
	_, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &mine, Base: &base})
	conflict, ok := errors.AsType[*ruleset.ConflictError](err)
	if !ok || conflict.Current.Description != "theirs" || conflict.Current.Markdown != "old" {
		t.Fatalf("got %v, want a conflict with the text of the other", err)
	}
	if r := get(t, s, "a"); r.Markdown != "old" {
		t.Errorf("the text became %q", r.Markdown)
	}
	if r, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &mine, Base: &conflict.Current}); err != nil || r.Markdown != "mine" || r.Description != "theirs" {
		t.Errorf("from the current ruleset: %+v, %v", r, err)
	}
}

// oneUpdateWins has several writers add lines, each to the text that it has read.
func oneUpdateWins(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	const n, steps = 4, 10
	create(t, s, ruleset.Draft{Name: "a"})
	writers(t, n, steps, again, "a", func(s ruleset.Store, base ruleset.Ruleset, text string) (ruleset.Ruleset, error) {
		return ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &text, Base: &base})
	})
	if got := strings.Count(get(t, s, "a").Markdown, "\n"); got != n*steps {
		t.Errorf("%d of %d updates are left", got, n*steps)
	}
}

func sizeLimit(t *testing.T, s ruleset.Store, _ *Clock, _ func() ruleset.Store) {
	create(t, s, ruleset.Draft{Name: "a"})
	most, more := strings.Repeat("x", ruleset.MaxBytes), strings.Repeat("x", ruleset.MaxBytes+1)
	_, createErr := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "b", Markdown: more})
	_, updateErr := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &more})
	for what, err := range map[string]error{"Create": createErr, "Update": updateErr} {
		if _, ok := errors.AsType[*ruleset.TooLargeError](err); !ok {
			t.Errorf("%s: %v, want too large", what, err)
		}
	}
	r, err := ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &most})
	for end := time.Now().Add(time.Minute); errors.As(err, new(*ruleset.UnavailableError)) && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond) // with thirty busy processes a server takes longer than an operation may
		r, err = ruleset.Update(t.Context(), s, "a", ruleset.Patch{Markdown: &most})
	}
	if err != nil || len(r.Markdown) != len(most) {
		t.Errorf("%d bytes are kept: %v", len(r.Markdown), err)
	}
}

func notFound(t *testing.T, s ruleset.Store, _ *Clock, _ func() ruleset.Store) {
	text := "x"
	_, getErr := s.Get(t.Context(), "nobody")
	_, updateErr := ruleset.Update(t.Context(), s, "nobody", ruleset.Patch{Markdown: &text})
	for what, err := range map[string]error{"Get": getErr, "Update": updateErr, "Delete": ruleset.Delete(t.Context(), s, "nobody", ruleset.Removal{})} {
		if _, ok := errors.AsType[*ruleset.NotFoundError](err); !ok {
			t.Errorf("%s: %v, want not found", what, err)
		}
	}
	create(t, s, ruleset.Draft{Name: "somebody"})
	_, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "somebody"})
	if _, ok := errors.AsType[*ruleset.ExistsError](err); !ok {
		t.Errorf("a second Create: %v, want exists", err)
	}
}

func names(metas []ruleset.Meta) (all []string) {
	for _, m := range metas {
		all = append(all, string(m.Name))
	}
	return all
}

// wholeList lists a page and those after it.
func wholeList(t *testing.T, s ruleset.Store, page ruleset.Page) (all []ruleset.Meta) {
	t.Helper()
	for range 20 {
		metas, next, err := s.List(t.Context(), page)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, metas...)
		if page.After = next; next == "" {
			break
		}
	}
	return all
}

func orderAndPages(t *testing.T, s ruleset.Store, clock *Clock, _ func() ruleset.Store) {
	var want []string
	for i := range 7 { // the later the creation, the earlier the name; two at a time
		clock.Set(start.Add(time.Duration(i) * time.Second))
		for _, half := range []string{"b", "a"} {
			create(t, s, ruleset.Draft{Name: ruleset.Name(fmt.Sprintf("n%d%s", 9-i, half))})
		}
		want = append(want, fmt.Sprintf("n%da", 9-i), fmt.Sprintf("n%db", 9-i))
	}
	for _, limit := range []int{0, 1, 3, 14, 100} {
		if diff := cmp.Diff(want, names(wholeList(t, s, ruleset.Page{Limit: limit}))); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	if n, err := ruleset.Count(t.Context(), s); err != nil || n != len(want) {
		t.Errorf("there are %d, %v, want %d", n, err, len(want))
	}
	_, next, err := s.List(t.Context(), ruleset.Page{Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := ruleset.Delete(t.Context(), s, "n8a", ruleset.Removal{}); err != nil { // the last of that page
		t.Fatal(err)
	}
	metas, _, err := s.List(t.Context(), ruleset.Page{After: next, Limit: 1})
	if err != nil || len(metas) != 1 || metas[0].Name != "n8b" {
		t.Errorf("after a deletion the next page is %v, %v", names(metas), err)
	}
}

func search(t *testing.T, s ruleset.Store, _ *Clock, _ func() ruleset.Store) {
	for _, name := range []ruleset.Name{"python_style", "python_testing", "go_style"} {
		create(t, s, ruleset.Draft{Name: name})
	}
	for pattern, want := range map[string][]string{
		"*python*": {"python_style", "python_testing"}, "*_style": {"go_style", "python_style"}, "go?style": {"go_style"},
		"style": nil, "*": {"go_style", "python_style", "python_testing"}, "": nil,
		"[a-g]*": {"go_style"}, "[!a-g]*": {"python_style", "python_testing"}, "{go,python}_style": {"go_style", "python_style"},
	} {
		metas, err := ruleset.Search(t.Context(), s, pattern)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, names(metas)); diff != "" {
			t.Errorf("search %q (-want +got):\n%s", pattern, diff)
		}
		match := ruleset.ParsePattern(pattern)
		if got := names(wholeList(t, s, ruleset.Page{Limit: 1, Match: &match})); !slices.Equal(got, want) {
			t.Errorf("pages of what matches %q are %v, want %v", pattern, got, want)
		}
	}
}

// completion asks for names by their beginnings, after creations, batches and deletions.
func completion(t *testing.T, s ruleset.Store, clock *Clock, again func() ruleset.Store) {
	for _, name := range []ruleset.Name{"go_style", "go", "python", "go_errors", "gopher"} {
		create(t, s, ruleset.Draft{Name: name})
		clock.Set(clock.Now().Add(-time.Hour)) // the order of lists is another
	}
	check := func(prefix string, limit, total int, want ...ruleset.Name) {
		t.Helper()
		got, n, err := again().Names(t.Context(), prefix, limit)
		if err != nil || n != total || !slices.Equal(got, want) {
			t.Errorf("%q, at most %d: %v of %d, %v; want %v of %d", prefix, limit, got, n, err, want, total)
		}
	}
	check("go", 10, 4, "go", "go_errors", "go_style", "gopher")
	check("go", 2, 4, "go", "go_errors")
	check("go_", 10, 2, "go_errors", "go_style")
	check("", 1, 5, "go")
	for _, none := range []string{"x", "go*", "G", "[go", "go_style_", "\xff"} {
		check(none, 10, 0)
	}
	if err := ruleset.Delete(t.Context(), s, "go_errors", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	applied(t, s, []ruleset.Operation{{Name: "go_style", Delete: &ruleset.Removal{}}}, ruleset.ApplyOptions{})
	applied(t, s, []ruleset.Operation{{Name: "go_zen", Create: &ruleset.Draft{Name: "go_zen"}}}, ruleset.ApplyOptions{})
	check("go_", 10, 1, "go_zen")
}

func oneCreationWins(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	const contenders, contested = 8, 20
	var mu sync.Mutex
	wins := map[ruleset.Name]int{}
	var wg sync.WaitGroup
	for c := range contenders {
		handle := s
		if c%2 == 1 {
			handle = again()
		}
		wg.Go(func() {
			for i := range contested {
				name := ruleset.Name(fmt.Sprintf("n%d", i))
				if _, err := ruleset.Create(t.Context(), handle, ruleset.Draft{Name: name}); err == nil {
					mu.Lock()
					wins[name]++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for i := range contested {
		if name := ruleset.Name(fmt.Sprintf("n%d", i)); wins[name] != 1 {
			t.Errorf("%s was created %d times", name, wins[name])
		}
	}
}

func updatesDoNotRevive(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	other := again()
	for range 20 {
		create(t, s, ruleset.Draft{Name: "a"})
		text := "x"
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = ruleset.Update(t.Context(), other, "a", ruleset.Patch{Markdown: &text}) }) // either may come first
		wg.Go(func() {
			if err := ruleset.Delete(t.Context(), s, "a", ruleset.Removal{}); err != nil {
				t.Errorf("Delete: %v", err)
			}
		})
		wg.Wait()
		if _, err := s.Get(t.Context(), "a"); err == nil {
			t.Fatal("an update brought a deleted ruleset back")
		}
	}
}

func watchHears(t *testing.T, s ruleset.Store, _ *Clock, again func() ruleset.Store) {
	other := again()
	heard, end := watch(t, s)
	defer end()
	for _, name := range []ruleset.Name{"a", "b"} {
		create(t, other, ruleset.Draft{Name: name})
		for c := next(t, heard); c.Name != name && c.Kind != ruleset.Unknown; c = next(t, heard) {
			if c.Kind == ruleset.Began {
				t.Error("it begins again")
			}
		}
	}
}

// watch watches a store until end is called. It returns when the watch has begun.
func watch(t *testing.T, s ruleset.Store) (heard chan ruleset.Change, end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	heard = make(chan ruleset.Change, 1000)
	done := make(chan error, 1)
	go func() { done <- s.Watch(ctx, func(c ruleset.Change) { heard <- c }) }()
	for next(t, heard).Kind != ruleset.Began { // the first watch of a handle hears of what was before
	}
	return heard, func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Watch: %v", err)
		}
	}
}

// next returns the next change that is heard.
func next(t *testing.T, heard <-chan ruleset.Change) ruleset.Change {
	t.Helper()
	select {
	case c := <-heard:
		return c
	case <-time.After(time.Minute):
		t.Fatal("nothing was heard")
		return ruleset.Change{}
	}
}
