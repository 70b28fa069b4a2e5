package secrets

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// A rule finds secrets of one form. Its expression is compiled when one of its keywords is
// met.
type rule struct {
	id       string
	kinds    Kind     // of the texts that it is for
	keywords []string // a text without them is not searched
	exact    bool     // keywords count in this case only
	expr     string   // what its first group matches is the secret, or the whole match
	entropy  float64  // the least of a secret, in bits a character
	digits   bool     // a secret has digits
	reach    int      // how far behind a keyword a match may begin to be one; 0 for the usual window
	harmless string   // what is no secret
	sum      func(secret string) bool

	compile func() *regexp.Regexp
	allowed func() *regexp.Regexp
}

// minEntropy is the least entropy of tokens in a format: those that people make up, such as
// rows of x, have less.
const minEntropy = 2.75

// rules makes the rules of all tables, once.
var rules = sync.OnceValue(func() []*rule {
	var all []*rule
	for _, f := range formats {
		all = append(all, f.rule())
	}
	for _, table := range [][]rule{forms, assignments} {
		for i := range table {
			all = append(all, &table[i])
		}
	}
	for _, r := range all {
		r.compile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.expr) })
		r.allowed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.harmless) })
	}
	return all
})

func (f *format) rule() *rule {
	begin := make([]string, len(f.begin))
	for i, text := range f.begin {
		begin[i] = regexp.QuoteMeta(text)
		if isWord(text[0]) {
			begin[i] = `\b` + begin[i]
		}
	}
	return &rule{
		id: f.id, kinds: Prose | Report | Data, keywords: f.begin, exact: true,
		expr: `(?:` + strings.Join(begin, "|") + `)` + f.rest, entropy: minEntropy, reach: f.reach, sum: f.sum,
	}
}

// isWord reports whether RE2 counts a byte as part of a word.
func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// placeholder matches what stands for a secret in prose.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)example|placeholder|your[_-]?|xxxx|1234567890|abcdef|changeme|dummy|sample|redacted|\.\.\.|<[^>]+>|\*\*\*`)
})

// reference matches the name of a variable, where programs put the secret in its place.
var reference = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\$\w+|\$?\{.*\}|%\w+%|@\w+@)$`)
})

// secret returns where in a match the secret is, as indices of the text that was searched.
func (r *rule) secret(at []int) (from, to int) {
	if len(at) > 2 && at[2] >= 0 {
		return at[2], at[3]
	}
	return at[0], at[1]
}

// takes reports whether what matched can be a secret of the rule.
func (r *rule) takes(secret string) bool {
	if r.sum != nil && r.sum(secret) {
		return true
	}
	return entropy(secret) >= r.entropy && (!r.digits || strings.ContainsAny(secret, "0123456789")) &&
		!reference().MatchString(secret) && (r.harmless == "" || !r.allowed().MatchString(secret))
}

// entropy returns the entropy of a text in bits a character.
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
