package lint

import (
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed gitleaks.toml
var gitleaks []byte

// A secretRule is a rule of gitleaks. Its expression is compiled when one of its
// keywords is met.
type secretRule struct {
	ID          string
	Regex       string
	Entropy     float64
	Keywords    []string
	SecretGroup int
	Allowlists  []allowlist

	compile func() *regexp.Regexp
	allowed func() []*regexp.Regexp
}

type allowlist struct {
	Regexes   []string
	Stopwords []string
	Condition string
	Paths     []string
}

// tooGeneral are rules that go by a word such as token before any text. They are made
// for source code; prose about tokens has the same form.
var tooGeneral = []string{"generic-api-key", "curl-auth-header", "curl-auth-user", "hashicorp-tf-password", "sourcegraph-access-token"}

// secretRules reads the rules, once.
var secretRules = sync.OnceValue(func() []*secretRule {
	var file struct {
		Rules     []*secretRule
		Allowlist allowlist
	}
	if err := toml.Unmarshal(gitleaks, &file); err != nil {
		panic(err) // the file is a part of the program, and a test reads it
	}
	rules := slices.DeleteFunc(file.Rules, func(r *secretRule) bool {
		return r.Regex == "" || len(r.Keywords) == 0 || slices.Contains(tooGeneral, r.ID)
	})
	for _, r := range rules {
		r.compile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Regex) })
		r.allowed = sync.OnceValue(func() (all []*regexp.Regexp) {
			for _, list := range append(r.Allowlists, file.Allowlist) {
				for _, expression := range list.Regexes {
					all = append(all, regexp.MustCompile(expression))
				}
			}
			return all
		})
	}
	return rules
})

// placeholder are the words of examples.
var placeholder = lazy(`(?i)example|placeholder|your[_-]?|xxxx|1234567890|abcdef|changeme|dummy|sample|redacted|\.\.\.|<[^>]+>|\*\*\*`)

// checkSecrets reports what looks like a secret. The message has no part of it.
func checkSecrets(t text) {
	lower := smallLetters(t.s)
	reported := map[int]bool{}
	left := maxSecretBytes
	for _, r := range secretRules() {
		if r.find(lower).next() < 0 {
			continue
		}
		for _, part := range r.windows(t.s, lower) {
			if left -= part[1] - part[0]; left < 0 {
				t.report(unexamined, Error, part[0], "the text is long and has many words that secrets have: from here on it was not searched for %s and further secrets", r.ID)
				return
			}
			r.search(t, part[0], part[1], reported)
		}
	}
}

// search reports the secrets in a part of a text.
func (r *secretRule) search(t text, from, to int, reported map[int]bool) {
	for _, at := range r.compile().FindAllStringSubmatchIndex(t.s[from:to], -1) {
		begin, end := r.secret(at)
		begin, end = from+begin, from+end
		secret := t.s[begin:end]
		if reported[begin] || entropy(secret) < r.Entropy || placeholder().MatchString(secret) || r.isAllowed(secret) {
			continue
		}
		reported[begin] = true
		t.report("secret", Error, begin, "it looks like a secret (%s), %d characters", r.ID, end-begin)
	}
}

// secret returns the place of the secret in a match: its group, else the first group
// that matched, else all.
func (r *secretRule) secret(at []int) (from, to int) {
	if i := 2 * r.SecretGroup; i > 0 && i+1 < len(at) && at[i] >= 0 {
		return at[i], at[i+1]
	}
	for i := 2; i+1 < len(at); i += 2 {
		if at[i] >= 0 {
			return at[i], at[i+1]
		}
	}
	return at[0], at[1]
}

func (r *secretRule) isAllowed(secret string) bool {
	if slices.ContainsFunc(r.allowed(), func(e *regexp.Regexp) bool { return e.MatchString(secret) }) {
		return true
	}
	for _, list := range r.Allowlists {
		if slices.ContainsFunc(list.Stopwords, func(word string) bool { return strings.Contains(strings.ToLower(secret), word) }) {
			return true
		}
	}
	return false
}

// entropy returns the entropy of a text in bits for each character.
func entropy(s string) float64 {
	counts, n := map[rune]int{}, 0
	for _, c := range s {
		counts[c]++
		n++
	}
	sum := 0.0
	for _, k := range counts {
		p := float64(k) / float64(n)
		sum -= p * math.Log2(p)
	}
	return sum
}
