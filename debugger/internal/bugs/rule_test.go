package bugs

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// A ruleSample is code that a rule finds, or is to leave alone.
type ruleSample struct {
	rule, lang string
	bad, good  string
}

// samples reads testdata/rules. A line "# rule" begins a sample, "---" its good
// half. The line where the bug is ends with a comment of an exclamation mark.
func samples(t *testing.T, family, lang string) []ruleSample {
	t.Helper()
	text, err := os.ReadFile("testdata/rules/" + family + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []ruleSample
	for part := range strings.SplitSeq("\n"+string(text), "\n# ") {
		head, code, _ := strings.Cut(part, "\n")
		if head == "" {
			continue
		}
		s := ruleSample{lang: lang}
		s.rule, head, _ = strings.Cut(head, " ")
		if head != "" {
			s.lang = head
		}
		s.bad, s.good, _ = strings.Cut(code, "---\n")
		all = append(all, s)
	}
	return all
}

var sampled = []struct{ family, lang string }{
	{"c", "C++"}, {"go", "Go"}, {"rust", "Rust"}, {"python", "Python"}, {"javascript", "JavaScript"},
}

// Every rule finds the bug of its sample on the marked line and nothing in the
// good code beside it. Every rule has a sample in each of its families.
func TestRules(t *testing.T) {
	rules := map[string]rule{}
	missing := map[string]bool{}
	for _, r := range allRules() {
		if _, twice := rules[r.id]; twice {
			t.Errorf("two rules %s", r.id)
		}
		rules[r.id] = r
		for _, f := range r.families {
			missing[r.id+" in "+string(f)] = true
		}
	}
	for _, row := range sampled {
		for _, s := range samples(t, row.family, row.lang) {
			delete(missing, s.rule+" in "+row.family)
			t.Run(row.family+"/"+s.rule, func(t *testing.T) { checkSample(t, rules[s.rule], s) })
		}
	}
	for what := range missing {
		t.Errorf("no sample of %s", what)
	}
}

func checkSample(t *testing.T, r rule, s ruleSample) {
	t.Helper()
	var want []int32
	for i, line := range strings.Split(s.bad, "\n") {
		if strings.HasSuffix(line, "!") {
			want = append(want, int32(i+1))
		}
	}
	if len(want) == 0 {
		t.Fatal("no line of the sample is marked")
	}
	if got := scanned(t, r, s.lang, s.bad); !slices.Equal(got, want) {
		t.Errorf("found in lines %v, want %v, of\n%s", got, want, s.bad)
	}
	if got := scanned(t, r, s.lang, s.good); len(got) > 0 {
		t.Errorf("found in lines %v of good code\n%s", got, s.good)
	}
}

// scanned are the lines in which a rule finds something.
func scanned(t *testing.T, r rule, name, text string) []int32 {
	t.Helper()
	book, err := newRulebook([]rule{r})
	if err != nil {
		t.Fatal(err)
	}
	lang := languageNamed(t, name)
	tokens, err := syntax.Lex(t.Context(), lang, text)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int32
	for _, h := range book.scan(lang, tokens, syntax.Functions(lang, tokens)) {
		lines = append(lines, h.line)
	}
	return lines
}

func languageNamed(t *testing.T, name string) *syntax.Language {
	t.Helper()
	for i := range syntax.Languages {
		if syntax.Languages[i].Name == name {
			return &syntax.Languages[i]
		}
	}
	t.Fatalf("no language %s", name)
	return nil
}

// Every rule is complete, and its parts speak of what its beginning names.
func TestRuleTable(t *testing.T) {
	for _, r := range allRules() {
		t.Run(r.id, func(t *testing.T) {
			if err := complete(r); err != nil {
				t.Error(err)
			}
		})
	}
}

func complete(r rule) error {
	switch {
	case r.sure <= 0 || r.sure >= 100:
		return fmt.Errorf("sure is %d", r.sure)
	case r.because == "" || strings.HasSuffix(r.because, "."):
		return fmt.Errorf("because is %q", r.because)
	case r.kind.Class() == "":
		return fmt.Errorf("kind %q is not in the table", r.kind)
	case r.atFirst && len(r.then) == 0:
		return fmt.Errorf("atFirst without then")
	}
	for _, p := range slices.Concat(r.unless, r.never) {
		for word := range strings.FieldsSeq(p) {
			if word[0] == '$' && !slices.Contains(strings.Fields(r.first), word) {
				return fmt.Errorf("%q speaks of %s, which %q does not name", p, word, r.first)
			}
		}
	}
	return nil
}
