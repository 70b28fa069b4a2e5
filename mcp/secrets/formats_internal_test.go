package secrets

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// madeUp returns a text of a form, with its repetitions as short as they may be.
func madeUp(random *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		i := 2 * random.IntN(len(re.Rune)/2)
		if re.Rune[i] > 0x7f || re.Rune[i+1] > 0x7f { // all but some characters
			return "w"
		}
		return string(re.Rune[i] + random.Int32N(re.Rune[i+1]-re.Rune[i]+1))
	case syntax.OpRepeat:
		var b strings.Builder
		for range re.Min {
			b.WriteString(madeUp(random, re.Sub[0]))
		}
		return b.String()
	case syntax.OpPlus, syntax.OpCapture:
		return madeUp(random, re.Sub[0])
	case syntax.OpAlternate:
		return madeUp(random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(madeUp(random, sub))
		}
		return b.String()
	}
	return "" // what may be left out, and places
}

// Each beginning of each format is found, by its own rule, in prose and in what programs hold.
func TestFormats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range formats {
		if f.source == "" || strings.ToLower(f.id) != f.id {
			t.Errorf("%s has no source", f.id)
		}
		if f.id == "private-key" {
			continue // a text of several lines; the corpus has some
		}
		rest, err := syntax.Parse(f.rest, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for _, begin := range f.begin {
			token := begin + madeUp(random, rest.Simplify())
			for placeholder().MatchString(token) || entropy(token) < minEntropy {
				token = begin + madeUp(random, rest.Simplify())
			}
			for _, kind := range []Kind{Prose, Report, Data} {
				found, left := Find("take "+token+" for it", kind)
				if left != nil || !slices.ContainsFunc(found, func(m Match) bool { return m.Rule == f.id && m.To == len("take "+token) }) {
					t.Errorf("%s: %q: found %v", f.id, token, found)
				}
			}
			for _, other := range []string{begin, begin + " " + token[len(begin):], begin + token[len(begin)+1:len(begin)+5]} {
				if found, _ := Find(other, Prose); slices.ContainsFunc(found, func(m Match) bool { return m.Rule == f.id }) {
					t.Errorf("%s: %q: found %v", f.id, other, found)
				}
			}
		}
	}
}

// No two rules have one id, and each has keywords.
func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules() {
		if seen[r.id] || len(r.keywords) == 0 {
			t.Errorf("%s is there twice, or has no keyword", r.id)
		}
		seen[r.id] = true
		if _, err := regexp.Compile(r.expr); err != nil {
			t.Error(err)
		}
		if !r.exact && slices.ContainsFunc(r.keywords, func(k string) bool { return strings.ToLower(k) != k }) {
			t.Errorf("%s: keywords of any case are in small letters", r.id)
		}
	}
}

// The token is that of GitHub's description of its checksums.
func TestChecksum(t *testing.T) {
	const token = "ghp_" + "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17"
	for text, want := range map[string]bool{
		token: true, strings.Replace(token, "z", "y", 1): false, token[:len(token)-1] + "8": false, "ghp_0mLq17": false, "": false, "ghp_------------": false,
	} {
		if got := crc62(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
