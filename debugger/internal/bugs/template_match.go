package bugs

import "github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"

// maxHole is the maximum number of tokens that a hole matches.
const maxHole = 60

// stepHole matches the expression that a hole is bound to, or the longest one
// with which the rest matches.
func (c *code) stepHole(p pattern, k, i int) int {
	if i >= len(c.tokens) || i > 0 && joiner(c.tokens[i-1].Text) && (k == 0 || !p[k-1].joins()) {
		return -1
	}
	slot := p[k].slot
	if b := c.bindings[slot]; b.end > b.begin {
		if !c.equal(b, i) {
			return -1
		}
		return c.step(p, k+1, i+b.end-b.begin)
	}
	var buffer [maxHole]int
	ends := c.expressionEnds(buffer[:0], i)
	for n := len(ends) - 1; n >= 0; n-- {
		c.bindings[slot] = bind{i, ends[n]}
		if at := c.step(p, k+1, ends[n]); at >= 0 {
			return at
		}
	}
	c.bindings[slot] = bind{}
	return -1
}

// expressionEnds appends the ends of the expressions without operators that begin
// at token i, the shortest first.
func (c *code) expressionEnds(ends []int, i int) []int {
	begin := i
	if c.tokens[i].Text == "$" && i+1 < len(c.tokens) { // a name in PHP
		begin++
	}
	t := c.tokens[begin]
	literal := t.Kind == syntax.NumberToken || t.Kind == syntax.StringToken || constants[t.Text]
	if !literal && !c.pathWord(begin) {
		return ends
	}
	for end := begin + 1; ; {
		ends = append(ends, end)
		switch {
		case end >= len(c.tokens) || len(ends) == cap(ends) || c.breaks(end):
			return ends
		case joiner(c.tokens[end].Text) && end+1 < len(c.tokens) && c.tokens[end+1].Kind == syntax.NameToken:
			end += 2
		case c.tokens[end].Text == "(" || c.tokens[end].Text == "[":
			end = c.closing(end)
		default:
			return ends
		}
		if end-i > maxHole {
			return ends
		}
	}
}

// constants lists keywords that are values.
var constants = map[string]bool{
	"NULL": true, "nil": true, "null": true, "nullptr": true, "None": true, "undefined": true,
	"true": true, "false": true, "True": true, "False": true,
}

// find returns the end of the match of a template that begins at token i, or -1.
func (s *compiledTemplate) find(c *code, i int) int {
	c.bindings = [slots]bind{}
	if c.continues(s.parts[0], i) {
		return -1
	}
	return s.rest(c, 0, i, i)
}

// rest matches parts[k:] at token i of a match that begins at first. If it fails,
// the holes are bound as before.
func (s *compiledTemplate) rest(c *code, k, first, i int) int {
	bound := c.bindings
	end := c.match(s.parts[k], i)
	if end >= 0 && k+1 < len(s.parts) {
		end = s.later(c, k+1, first, end)
	}
	if end < 0 {
		c.bindings = bound
	}
	return end
}

// later matches parts[k:] at token end or later in the block.
func (s *compiledTemplate) later(c *code, k, first, end int) int {
	limit := c.scope(first, end, len(c.tokens))
	for j := end; j < limit; j++ {
		if c.fuel < 0 || c.anyAt(s.never, j) {
			return -1
		}
		if len(s.parts[k]) == 0 || c.continues(s.parts[k], j) {
			continue
		}
		if at := s.rest(c, k, first, j); at >= 0 {
			return at
		}
	}
	if len(s.parts[k]) == 0 {
		return limit
	}
	return -1
}

// continues reports whether token i is a member of what is before it, so that p,
// which begins with a name, does not match there.
func (c *code) continues(p pattern, i int) bool {
	return i > 0 && (c.tokens[i-1].Text == "." || c.tokens[i-1].Text == "->") && !p[0].joins()
}
