package read

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// An automaton accepts what a regular expression matches, and goes on as long as something
// behind could match.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	used := "AIScgfuetkwWRXL12xFad"
	matched := 0
	for name, f := range forms {
		expression := regexp.MustCompile("^" + f.children + "$")
		o := newOrder(f.children)
		for range 300 {
			letters := f.children
			if r.IntN(4) == 0 {
				letters = used
			}
			var word strings.Builder
			for range r.IntN(6) {
				if c := letters[r.IntN(max(1, len(letters)))]; strings.IndexByte(used, c) >= 0 {
					word.WriteByte(c)
				}
			}
			state := uint64(atStart)
			for _, l := range []byte(word.String()) {
				state = o.step(state, l)
			}
			if got, want := o.complete(state), expression.MatchString(word.String()); got != want {
				t.Errorf("%s: %s with %q: %v, want %v", name, f.children, word.String(), got, want)
			} else if got {
				matched++
			}
			if f.children == "" {
				break
			}
		}
	}
	if matched < 1000 {
		t.Errorf("only %d words matched", matched)
	}
}
