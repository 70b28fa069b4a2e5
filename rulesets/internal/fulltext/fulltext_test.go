package fulltext_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/fulltext"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Handle the errors.":           "handle errors",
		"useEffect in HTTPServer":      "useeffect use effect httpserver http server",
		"snake_case.go v2":             "snake case go v2",
		"Größe, naïve — C++":           "größe naïve c",
		"測試規則 と a":                     "測試 試規 規則 と",
		"x " + strings.Repeat("z", 65): "x",
		"don't":                        "don t",
		"":                             "",
	} {
		var words []string
		fulltext.Words(text, func(w fulltext.Word) bool {
			words = append(words, w.Text)
			if got := strings.ToLower(text[w.From:w.To]); got != w.Text {
				t.Errorf("%q: %q is at the place of %q", text, got, w.Text)
			}
			return true
		})
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The examples are of the algorithm's own list of words and stems.
func TestStem(t *testing.T) {
	for word, want := range map[string]string{"consigned": "consign", "consistency": "consist", "knightly": "knight", "go": "go", "2025": "2025"} {
		if got := fulltext.Stem(word); got != want {
			t.Errorf("%s: %s, want %s", word, got, want)
		}
	}
}

// scores returns the scores of the keys that a query finds.
func scores(x *fulltext.Index[string], query string) map[string]float32 {
	all := map[string]float32{}
	x.Search(query, func(key string, score float32) { all[key] = score })
	return all
}

// search returns the keys that a query finds, best first.
func search(x *fulltext.Index[string], query string) []string {
	all := scores(x, query)
	keys := slices.AppendSeq([]string{}, maps.Keys(all))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(-cmp.Compare(all[a], all[b]), strings.Compare(a, b)) })
	return keys
}

func put(x *fulltext.Index[string], key, title, body string) {
	x.Put(key, fulltext.Document{{Text: title, Weight: 5}, {Text: body, Weight: 1}})
}

func TestSearch(t *testing.T) {
	x := fulltext.New[string]()
	put(x, "errors", "Error handling", "Wrap errors. Never ignore an error.")
	put(x, "go", "Go style", "Handle errors where they happen; name things well.")
	put(x, "react", "React hooks", "useEffect runs after rendering.")
	put(x, "ja", "規則", "エラー処理をする")
	for query, want := range map[string][]string{
		"errors":          {"errors", "go"},
		"handled":         {"errors", "go"},
		"effect":          {"react"},
		"useeffect":       {"react"},
		"rend":            {"react"}, // no such word: the beginning of one
		"re":              {},
		"the of":          {},
		"エラー":             {"ja"},
		"style errors":    {"go", "errors"},
		"nothing at all!": {},
	} {
		if diff := gocmp.Diff(want, search(x, query)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// A document that is replaced or removed is found as it is now.
func TestChanges(t *testing.T) {
	x := fulltext.New[string]()
	put(x, "a", "one", "")
	put(x, "b", "one two", "")
	put(x, "a", "two", "")
	x.Remove("nobody")
	if diff := gocmp.Diff([]string{"b"}, search(x, "one")); diff != "" {
		t.Errorf("one (-want +got):\n%s", diff)
	}
	x.Remove("b")
	if got := search(x, "one"); len(got) > 0 || x.Len() != 1 {
		t.Errorf("one finds %v of %d", got, x.Len())
	}
}

// naive computes the scores of a query by the formula.
func naive(docs map[string][]string, query []string) map[string]float64 {
	total := 0
	for _, words := range docs {
		total += len(words)
	}
	average := float64(total) / float64(len(docs))
	count := func(words []string, word string) (n float64) {
		for _, w := range words {
			if w == word {
				n++
			}
		}
		return n
	}
	scores := map[string]float64{}
	for _, term := range query {
		n := 0.0
		for _, words := range docs {
			n += min(1, count(words, term))
		}
		idf := math.Log(1 + (float64(len(docs))-n+0.5)/(n+0.5))
		for key, words := range docs {
			if tf := count(words, term); tf > 0 {
				scores[key] += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(len(words))/average))
			}
		}
	}
	return scores
}

// After any changes a search finds the documents by the scores of the formula.
func TestScoresAgainstFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	x, docs := fulltext.New[string](), map[string][]string{}
	for range 5000 { // enough for the index to be rewritten
		key := fmt.Sprint("d", random.IntN(300))
		if random.IntN(5) == 0 {
			x.Remove(key)
			delete(docs, key)
			continue
		}
		words := make([]string, 1+random.IntN(20))
		for i := range words {
			words[i] = fmt.Sprint("w", random.IntN(40))
		}
		docs[key] = words
		x.Put(key, fulltext.Document{{Text: strings.Join(words, " "), Weight: 1}})
	}
	x.Compact()
	all := map[string][]string{}
	for key := range docs { // as new: no dead documents in the counts
		all[key] = docs[key]
	}
	fresh := fulltext.New[string]()
	for key, words := range all {
		fresh.Put(key, fulltext.Document{{Text: strings.Join(words, " "), Weight: 1}})
	}
	for _, query := range []string{"w1", "w2 w3 w39", "w7 w7"} {
		want := naive(docs, fulltext.Terms(query))
		for key, score := range scores(fresh, query) {
			if math.Abs(float64(score)-want[key]) > 1e-4 {
				t.Fatalf("%q: %s has %f, want %f", query, key, score, want[key])
			}
			delete(want, key)
		}
		if len(want) > 0 {
			t.Errorf("%q does not find %v", query, want)
		}
		if diff := gocmp.Diff(keysOf(fresh, query), keysOf(x, query)); diff != "" {
			t.Errorf("%q after changes (-new +changed):\n%s", query, diff)
		}
	}
}

func keysOf(x *fulltext.Index[string], query string) []string {
	return slices.Sorted(maps.Keys(scores(x, query)))
}

func TestFind(t *testing.T) {
	text := "# Go\n\nHandle it.\nAlways handle errors " + strings.Repeat("and more ", 60) + "\n"
	for query, want := range map[string]fulltext.Snippet{
		"handling": {3, "Handle it."}, "GO": {1, "# Go"},
	} {
		if got, ok := fulltext.Find(text, fulltext.Terms(query)); got != want || !ok {
			t.Errorf("%q: %+v", query, got)
		}
	}
	got, ok := fulltext.Find(text, fulltext.Terms("errors handled"))
	if !ok || got.Line != 4 || !strings.HasPrefix(got.Text, "Always handle errors and") || !strings.HasSuffix(got.Text, "…") || len(got.Text) > 250 {
		t.Errorf("%+v", got)
	}
	if got, ok := fulltext.Find(text, fulltext.Terms("nothing")); ok {
		t.Errorf("%+v", got)
	}
}
