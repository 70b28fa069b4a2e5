package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/internal/catalog"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

var start = time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC)

func put(t *testing.T, s ruleset.Store, d ruleset.Draft) {
	t.Helper()
	if _, err := ruleset.Create(t.Context(), s, d); err != nil {
		t.Fatal(err)
	}
}

// some is a catalog of a few rulesets.
func some(t *testing.T) (*catalog.Catalog, ruleset.Store) {
	t.Helper()
	store := memstore.New(func() time.Time { return start })
	put(t, store, ruleset.Draft{Name: "go_errors", Description: "How we handle errors", Tags: []string{"go", "style"}, Markdown: "# Errors\n\nWrap them with %w.\n", Extra: "globs: ['**/*.go']\n"})
	put(t, store, ruleset.Draft{Name: "react_hooks", Description: "Hooks", Tags: []string{"React", "style"}, Markdown: "Errors in hooks are caught.\n", Extra: "globs: '**/*.tsx'\ntargets: [cursor]\n"})
	put(t, store, ruleset.Draft{Name: "security", Description: "For all", Tags: []string{"org/"}, Markdown: "Never log secrets.\nsk-123\n"})
	put(t, store, ruleset.Draft{Name: "release_notes", Description: "Writes notes", Extra: "prompt: true\n"})
	return catalog.New(store), store
}

func find(t *testing.T, c *catalog.Catalog, q catalog.Query) catalog.Result {
	t.Helper()
	r, err := c.Find(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return r
}

func names(r catalog.Result) []string {
	all := []string{}
	for _, h := range r.Hits {
		all = append(all, string(h.Name))
	}
	return all
}

func TestFind(t *testing.T) {
	c, _ := some(t)
	for _, tc := range []struct {
		about string
		query catalog.Query
		want  []string
	}{
		{"all, as lists have them", catalog.Query{}, []string{"go_errors", "react_hooks", "release_notes", "security"}},
		{"a name before a text", catalog.Query{Text: "error"}, []string{"go_errors", "react_hooks"}},
		{"words of the text", catalog.Query{Text: "wrapping"}, []string{"go_errors"}},
		{"tags in any case", catalog.Query{Tags: []string{"react", "STYLE"}}, []string{"react_hooks"}},
		{"words and tags", catalog.Query{Text: "errors", Tags: []string{"go"}}, []string{"go_errors"}},
		{"for a client", catalog.Query{Client: "zed"}, []string{"go_errors", "release_notes", "security"}},
		{"a regular expression on the text", catalog.Query{Regexp: `sk-\d+`}, []string{"security"}},
		{"a regular expression on tags", catalog.Query{Regexp: `^R.act$`}, []string{"react_hooks"}},
		{"a path", catalog.Query{Path: "src/x.go"}, []string{"security", "go_errors", "react_hooks", "release_notes"}},
		{"a path and words", catalog.Query{Path: "src/x.tsx", Text: "errors"}, []string{"react_hooks", "go_errors"}},
		{"nothing", catalog.Query{Text: "haskell"}, []string{}},
	} {
		if diff := cmp.Diff(tc.want, names(find(t, c, tc.query))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.about, diff)
		}
	}
}

func TestFindShows(t *testing.T) {
	c, _ := some(t)
	r := find(t, c, catalog.Query{Text: "wrap errors"})
	want := []catalog.Facet{{Tag: "style", Count: 2}, {Tag: "React", Count: 1}, {Tag: "go", Count: 1}}
	if diff := cmp.Diff(want, r.Facets); diff != "" || r.Total != 2 || r.Of != 4 {
		t.Errorf("%d of %d, facets (-want +got):\n%s", r.Total, r.Of, diff)
	}
	if h := r.Hits[0]; h.Line != 1 || h.Snippet != "# Errors" || h.Score <= r.Hits[1].Score {
		t.Errorf("first %+v", h)
	}
	r = find(t, c, catalog.Query{Regexp: "(?i)SECRETS"})
	if h := r.Hits[0]; h.Line != 1 || h.Snippet != "Never log secrets." {
		t.Errorf("by expression %+v", h)
	}
	r = find(t, c, catalog.Query{Path: "a/b.tsx", Client: "claude"})
	got := map[string]string{}
	for _, h := range r.Hits {
		got[string(h.Name)] = fmt.Sprintf("%t %s %s", h.Decision.Applies, h.Layer, h.Decision.Reason)
	}
	reasons := map[string]string{
		"security": "true org always", "go_errors": `false project the file does not match "**/*.go"`,
		"react_hooks": "false project it is for cursor", "release_notes": "false project it is a prompt",
	}
	if diff := cmp.Diff(reasons, got); diff != "" || r.Applying != 1 {
		t.Errorf("%d apply (-want +got):\n%s", r.Applying, diff)
	}
}

func TestFindRefuses(t *testing.T) {
	c, _ := some(t)
	for field, q := range map[string]catalog.Query{
		"path": {Path: "/etc/passwd"}, "regexp": {Regexp: "("}, "cursor": {Cursor: "x"},
	} {
		_, err := c.Find(t.Context(), q)
		if e, ok := errors.AsType[*catalog.QueryError](err); !ok || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := c.Find(t.Context(), catalog.Query{Regexp: strings.Repeat("a", 1001)}); err == nil {
		t.Error("a long expression is compiled")
	}
}

// Pages have each result once, whatever the order.
func TestPages(t *testing.T) {
	store := memstore.New(func() time.Time { return start })
	for i := range 57 {
		put(t, store, ruleset.Draft{Name: ruleset.Name(fmt.Sprintf("r%d", i)), Markdown: strings.Repeat("word ", i%5+1), Extra: fmt.Sprintf("order: %d\n", i%7-3)})
	}
	c := catalog.New(store)
	for _, q := range []catalog.Query{{}, {Text: "words"}, {Path: "x"}} {
		whole := q
		whole.Limit = catalog.MaxLimit
		want := names(find(t, c, whole))
		var got []string
		for q.Limit = 10; ; {
			r := find(t, c, q)
			got = append(got, names(r)...)
			if q.Cursor = r.Next; q.Cursor == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 57 {
			t.Errorf("%+v: %d (-want +got):\n%s", q, len(want), diff)
		}
	}
}

// A catalog that watches finds what it changes itself at once, and soon what others
// change.
func TestFollows(t *testing.T) {
	c, theirs := some(t)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	heard := make(chan ruleset.Change, 100)
	wg.Go(func() { _ = c.Watch(ctx, func(change ruleset.Change) { heard <- change }) })
	<-heard // it watches
	find(t, c, catalog.Query{})
	ours := c.Store()
	put(t, ours, ruleset.Draft{Name: "mine", Markdown: "haskell"})
	if got := names(find(t, c, catalog.Query{Text: "haskell"})); !slices.Equal(got, []string{"mine"}) {
		t.Errorf("created: %v", got)
	}
	text := "erlang"
	if _, err := ruleset.Update(t.Context(), ours, "mine", ruleset.Patch{Markdown: &text}); err != nil {
		t.Fatal(err)
	}
	if got := names(find(t, c, catalog.Query{Text: "haskell"})); len(got) > 0 {
		t.Errorf("updated: %v", got)
	}
	if err := ruleset.Delete(t.Context(), ours, "mine", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	if got := names(find(t, c, catalog.Query{Text: "erlang"})); len(got) > 0 {
		t.Errorf("deleted: %v", got)
	}
	put(t, theirs, ruleset.Draft{Name: "theirs", Markdown: "ocaml"})
	for change := range heard {
		if change.Name == "theirs" {
			break
		}
	}
	if got := names(find(t, c, catalog.Query{Text: "ocaml"})); !slices.Equal(got, []string{"theirs"}) {
		t.Errorf("created by others: %v", got)
	}
}

// fails is a store that cannot be read for a while.
type fails struct {
	ruleset.Store
	err error
}

func (f *fails) Read(ctx context.Context, names []ruleset.Name, see func(ruleset.Ruleset) error) error {
	if f.err != nil {
		return f.err
	}
	return f.Store.Read(ctx, names, see)
}

func TestUnavailable(t *testing.T) {
	_, store := some(t)
	away := &fails{store, &ruleset.UnavailableError{Store: "test", Err: errors.New("away")}}
	c := catalog.New(away)
	if _, err := c.Find(t.Context(), catalog.Query{}); !errors.Is(err, away.err) {
		t.Errorf("got %v", err)
	}
	away.err = nil
	if got := find(t, c, catalog.Query{}); got.Total != 4 {
		t.Errorf("back again: %d", got.Total)
	}
}

// The rules of a file agree with an oracle, in its order, in 2000 random trees.
func TestPathsAgainstOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range sample.Count(300, 2000) {
		store := memstore.New(func() time.Time { return start })
		rules := make([]rule, 1+random.IntN(12))
		for i := range rules {
			rules[i] = randomRule(random, i)
			put(t, store, rules[i].draft())
		}
		path := randomPath(random)
		var want []string
		slices.SortFunc(rules, func(a, b rule) int { return strings.Compare(a.key(), b.key()) })
		for _, r := range rules {
			if r.applies(path, "cursor") {
				want = append(want, r.name)
			}
		}
		result := find(t, catalog.New(store), catalog.Query{Path: path, Client: "cursor", Limit: 50})
		got := names(result)
		if diff := cmp.Diff(want, append([]string(nil), got[:result.Applying]...)); diff != "" || len(got) != len(rules) {
			t.Fatalf("%s with %+v: %d results (-want +got):\n%s", path, rules, len(got), diff)
		}
	}
}

// A rule is a ruleset as the oracle sees it.
type rule struct {
	name, layer string
	order       int
	globs       []string
	mode        frontmatter.Mode
	targets     []string
}

func (r rule) draft() ruleset.Draft {
	f := frontmatter.Fields{Globs: r.globs, Activation: r.mode, Targets: r.targets, Order: r.order}
	extra, err := f.Merge("")
	if err != nil {
		panic(err)
	}
	return ruleset.Draft{Name: ruleset.Name(r.name), Tags: []string{r.layer}, Extra: extra}
}

// key sorts as the rules are read.
func (r rule) key() string {
	return fmt.Sprintf("%d %03d %s", map[string]int{"org/": 0, "team/a": 1, "x": 2, "user/": 3}[r.layer], r.order+100, r.name)
}

// applies is the definition, with each glob written out as a regular expression.
func (r rule) applies(path, client string) bool {
	if len(r.targets) > 0 && !slices.Contains(r.targets, client) && !slices.Contains(r.targets, "*") {
		return false
	}
	switch {
	case r.mode == frontmatter.Always, r.mode == "" && len(r.globs) == 0:
		return true
	case r.mode != "" && r.mode != frontmatter.Glob:
		return false
	}
	in := false
	for _, glob := range r.globs {
		pattern, excludes := strings.CutPrefix(glob, "!")
		if matched := expression(pattern).MatchString(path); matched && excludes {
			return false
		} else if matched {
			in = true
		}
	}
	return in
}

func expression(glob string) *regexp.Regexp {
	s := regexp.QuoteMeta(glob)
	s = strings.NewReplacer(`\*\*/`, `(.*/)?`, `/\*\*`, `/.+`, `\*\*`, `.+`, `\*`, `[^/]*`, `\?`, `[^/]`).Replace(s)
	return regexp.MustCompile("^" + s + "$")
}

func randomRule(random *rand.Rand, i int) rule {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	r := rule{name: fmt.Sprintf("r%d", i), layer: pick("org/", "team/a", "x", "user/"), order: random.IntN(5) - 2}
	for range random.IntN(3) {
		r.globs = append(r.globs, pick("", "", "!")+pick("", "src/", "**/", "src/*/")+pick("*.go", "*.ts", "api/**", "?.go", "**"))
	}
	r.mode = frontmatter.Mode(pick("", "", "", "glob", "always", "auto", "manual"))
	if random.IntN(3) == 0 {
		r.targets = []string{pick("cursor", "claude", "*")}
	}
	return r
}

func randomPath(random *rand.Rand) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	return pick("", "src/", "src/api/", "src/web/api/", "api/") + pick("a", "bb", "x") + pick(".go", ".ts", ".md")
}
