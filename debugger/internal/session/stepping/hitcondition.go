package stepping

import (
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// hitOperators are the operators of conditions on the number of hits; longer
// ones come before their prefixes.
var hitOperators = []struct {
	text  string
	holds func(hits, n int) bool
}{
	{">=", func(hits, n int) bool { return hits >= n }},
	{"<=", func(hits, n int) bool { return hits <= n }},
	{"==", func(hits, n int) bool { return hits == n }},
	{">", func(hits, n int) bool { return hits > n }},
	{"<", func(hits, n int) bool { return hits < n }},
	{"=", func(hits, n int) bool { return hits == n }},
	{"%", func(hits, n int) bool { return hits%n == 0 }},
	{"", func(hits, n int) bool { return hits >= n }},
}

// parseHits parses a condition on the number of hits.
func parseHits(text string) (holds func(hits int) bool, err error) {
	text = strings.TrimSpace(text)
	for _, op := range hitOperators {
		digits, ok := strings.CutPrefix(text, op.text)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(digits))
		if err != nil || n < 0 || n == 0 && op.text == "%" {
			break
		}
		return func(hits int) bool { return op.holds(hits, n) }, nil
	}
	return nil, failure.Breakpointf("the hit condition %q cannot be understood: write a number, or one after >, >=, ==, <, <= or %%", text)
}

// SetHitCondition lets only some of the hits count for which the condition
// holds: from the nth on for "n", as the operator says for "> n", ">= n",
// "== n", "< n" and "<= n", and every nth for "% n". In the past hits are not
// counted, and each one counts. It is called after SetCondition and before
// SetLog.
func (bs *Breakpoints) SetHitCondition(b *Breakpoint, text string) error {
	if text == "" {
		return nil
	}
	counts, err := parseHits(text)
	if err != nil {
		return err
	}
	holds, hits := b.Holds, 0
	b.Holds = func(hit proc.Hit) (bool, error) {
		if holds != nil {
			if ok, err := holds(hit); !ok || err != nil {
				return ok, err
			}
		}
		if bs.timeline.InPast() && !bs.timeline.translates {
			return true, nil
		}
		hits++
		return counts(hits), nil
	}
	return nil
}
