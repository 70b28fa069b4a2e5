package composition_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/composition"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// shelf is rulesets by name, with what they include.
type shelf map[string]string

func (s shelf) get(name string) ruleset.Ruleset {
	r := ruleset.Ruleset{Meta: ruleset.Meta{Name: ruleset.Name(name)}, Markdown: "# " + name + "\n\ntext of " + name + "\n", Rev: 1}
	if s[name] != "" {
		r.Extra = "include: [" + s[name] + "]\n"
	}
	return r
}

func (s shelf) source(_ context.Context, ref frontmatter.Reference) (ruleset.Ruleset, error) {
	if _, ok := s[string(ref.Name)]; !ok {
		return ruleset.Ruleset{}, &ruleset.NotFoundError{Name: ref.Name}
	}
	r := s.get(string(ref.Name))
	if ref.At != "" {
		r.Rev = 2
	}
	return r, nil
}

func TestCompose(t *testing.T) {
	s := shelf{"a": "b, c", "b": "d", "c": "d", "d": ""}
	text, err := composition.Compose(t.Context(), s.source, s.get("a"))
	if err != nil {
		t.Fatal(err)
	}
	want := "# d\n\ntext of d\n\n# b\n\ntext of b\n\n# c\n\ntext of c\n\n# a\n\ntext of a\n"
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := text.Lines[6].From.String(); got != "b@1:3" || text.Lines[6].Text != "text of b" {
		t.Errorf("line 7 is %q from %s", text.Lines[6].Text, got)
	}
}

func TestComposeRefuses(t *testing.T) {
	deep := shelf{"r8": ""}
	for i := range 8 {
		deep[fmt.Sprint("r", i)] = fmt.Sprint("r", i+1)
	}
	for want, s := range map[string]shelf{
		"the includes are a cycle: a -> b -> a":                                      {"a": "b", "b": "a"},
		"the includes are a cycle: a -> a":                                           {"a": "a"},
		"a includes gone@v1: ruleset 'gone' not found":                               {"a": "gone@v1"},
		"b is included at revisions 1 and 2":                                         {"a": "b, c", "b": "", "c": "b@v1"},
		"includes may be 8 deep: r0 -> r1 -> r2 -> r3 -> r4 -> r5 -> r6 -> r7 -> r8": deep,
	} {
		first := "a"
		if _, ok := s["a"]; !ok {
			first = "r0"
		}
		if _, err := composition.Compose(t.Context(), s.source, s.get(first)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := composition.Compose(t.Context(), deep.source, deep.get("r1")); err != nil {
		t.Errorf("eight deep: %v", err)
	}
}

// naive merges by definition: it writes out all includes, and keeps the first of each.
func naive(s shelf, name string) []string {
	var all []string
	for word := range strings.FieldsFuncSeq(s[name], func(c rune) bool { return c == ',' || c == ' ' }) {
		all = append(all, naive(s, word)...)
	}
	var kept []string
	for _, one := range append(all, name) {
		if !slices.Contains(kept, one) {
			kept = append(kept, one)
		}
	}
	return kept
}

func TestComposeAgainstNaiveMerger(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	for range 500 {
		s := shelf{}
		n := 2 + random.IntN(7)
		for i := range n {
			var words []string
			for j := i + 1; j < n; j++ { // includes lead to higher numbers: no cycles
				if random.IntN(3) == 0 {
					words = append(words, fmt.Sprint("r", j))
				}
			}
			random.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
			s[fmt.Sprint("r", i)] = strings.Join(words, ", ")
		}
		text, err := composition.Compose(t.Context(), s.source, s.get("r0"))
		if deep, ok := errors.AsType[*composition.DepthError](err); ok && len(deep.Path) > composition.MaxDepth {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, name := range naive(s, "r0") {
			want = append(want, strings.TrimRight(s.get(name).Markdown, "\n"))
		}
		if diff := cmp.Diff(strings.Join(want, "\n\n")+"\n", text.String()); diff != "" {
			t.Fatalf("%v (-want +got):\n%s", s, diff)
		}
	}
}

func TestChoose(t *testing.T) {
	all := []ruleset.Ruleset{
		{Meta: ruleset.Meta{Name: "mine", Tags: []string{"user/"}}}, {Meta: ruleset.Meta{Name: "go"}, Extra: "globs: ['**/*.go']\n"},
		{Meta: ruleset.Meta{Name: "all", Tags: []string{"org/"}}}, {Meta: ruleset.Meta{Name: "py"}, Extra: "globs: ['**/*.py']\n"},
	}
	var got []string
	for _, c := range composition.Choose(all, selection.Query{Path: "x.go"}) {
		got = append(got, fmt.Sprintf("%s %t", c.Ruleset.Name, c.Decision.Applies))
	}
	if diff := cmp.Diff([]string{"all true", "go true", "mine true", "py false"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
