package lint

import (
	"fmt"
	"unicode/utf8"
)

// The limits of the work for one ruleset, and of what is reported. A client writes the text,
// so it could otherwise occupy a processor for minutes.
const (
	// maxScanned is the number of bytes of a text that are examined.
	maxScanned = 2 << 20
	// maxPlaces is the number of findings of one rule; the rest is counted.
	maxPlaces = 100
)

// unexamined is the rule that reports what was beyond the limits. It is an error: texts
// are not written unexamined where texts with errors are refused.
const unexamined = "unexamined"

// A collector holds the findings in a ruleset.
type collector struct {
	list []Finding
	more map[string]*Finding // by rule, the first finding that is not in list
	left map[string]int      // by rule, how many are not in list
	seen map[string]int      // by rule
}

func newCollector() *collector {
	return &collector{more: map[string]*Finding{}, left: map[string]int{}, seen: map[string]int{}}
}

// full reports whether further findings of a rule are only counted.
func (c *collector) full(rule string) bool { return c.seen[rule] > maxPlaces }

func (c *collector) add(f Finding) {
	c.seen[f.Rule]++
	switch {
	case c.seen[f.Rule] <= maxPlaces:
		c.list = append(c.list, f)
	case c.more[f.Rule] == nil:
		c.more[f.Rule] = &f
		fallthrough
	default:
		c.left[f.Rule]++
	}
}

// findings returns all findings, with one for the rest of each rule.
func (c *collector) findings() []Finding {
	for rule, f := range c.more {
		f.Message = fmt.Sprintf("… and %d more from here on", c.left[rule])
		c.list = append(c.list, *f)
	}
	return c.list
}

// cut returns the part of a text that is examined, and reports the rest.
func (t text) cut() text {
	if len(t.s) <= maxScanned {
		return t
	}
	end := maxScanned
	for end > 0 && !utf8.RuneStart(t.s[end]) {
		end--
	}
	t.report(unexamined, Error, end, "the text is long: its last %d bytes were not examined", len(t.s)-end)
	t.s = t.s[:end]
	return t
}
