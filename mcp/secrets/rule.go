package secrets

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

//go:embed own.toml
var own []byte

// A rule is a rule of gitleaks or of our own. Its expression is compiled when one of its
// keywords is met.
type rule struct {
	ID          string
	Regex       string
	Entropy     float64
	Keywords    []string
	SecretGroup int
	Allowlists  []allowlist

	kinds   Kind // of the texts that it is for
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
// for source code; prose about tokens, and types and names of a program, have the same
// form.
var tooGeneral = []string{"generic-api-key", "curl-auth-header", "curl-auth-user", "hashicorp-tf-password", "sourcegraph-access-token"}

// rules reads the rules, once.
var rules = sync.OnceValue(func() []*rule {
	theirs := parse(gitleaks, Prose|Report|Data)
	for _, r := range theirs {
		if slices.Contains(tooGeneral, r.ID) {
			r.kinds = Data
		}
	}
	return append(theirs, parse(own, Report|Data)...)
})

// parse reads a file of rules for kinds of texts. The files are part of the program, and
// a test reads them.
func parse(data []byte, kinds Kind) []*rule {
	var file struct {
		Rules     []*rule
		Allowlist allowlist
	}
	if err := toml.Unmarshal(data, &file); err != nil {
		panic(err)
	}
	all := slices.DeleteFunc(file.Rules, func(r *rule) bool { return r.Regex == "" || len(r.Keywords) == 0 })
	for _, r := range all {
		r.kinds = kinds
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
	return all
}

// placeholder matches the words of examples.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)example|placeholder|your[_-]?|xxxx|1234567890|abcdef|changeme|dummy|sample|redacted|\.\.\.|<[^>]+>|\*\*\*`)
})

// secret returns the place of the secret in a match: its group, else the first group
// that matched, else all.
func (r *rule) secret(at []int) (from, to int) {
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

// allows reports whether an allowlist of the rule has the text.
func (r *rule) allows(secret string) bool {
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
