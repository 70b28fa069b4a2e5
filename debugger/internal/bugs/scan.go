package bugs

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// fuelPerToken limits the work of matching in a file.
const fuelPerToken = 400

// scopeLimit limits the tokens that a rule looks ahead.
const scopeLimit = 600

// A hit is a match of a rule.
type hit struct {
	rule  *rule
	token int32
	line  int32
}

// scan returns the matches of a language's rules in a file, by line. Of several
// rules of one kind on a line, the most certain one counts.
func (book rulebook) scan(lang *syntax.Language, tokens []syntax.Token, found []syntax.Function) []hit {
	set := book[lang.Family]
	if set == nil {
		return nil
	}
	c := newCode(lang, tokens)
	var hits []hit
	for _, part := range segments(found, len(tokens)) {
		hits = append(hits, set.scan(c, part)...)
	}
	return surest(hits)
}

// newCode returns tokens to be matched.
func newCode(lang *syntax.Language, tokens []syntax.Token) *code {
	return &code{
		tokens: tokens, lineEnds: lang.LinesEndStatements(), indents: lang.Outline == syntax.ByIndent,
		fuel: fuelPerToken * (len(tokens) + 100),
	}
}

// segments returns the functions and the code between them.
func segments(found []syntax.Function, n int) []syntax.Function {
	var parts []syntax.Function
	at := 0
	for _, f := range found {
		if f.Begin > at {
			parts = append(parts, syntax.Function{Begin: at, End: f.Begin})
		}
		parts = append(parts, f)
		at = f.End
	}
	if at < n {
		parts = append(parts, syntax.Function{Begin: at, End: n})
	}
	return parts
}

func (s *ruleSet) scan(c *code, part syntax.Function) []hit {
	var hits []hit
	for i := part.Begin; i < part.End; i++ {
		if c.tokens[i].Kind == syntax.StringToken {
			continue
		}
		for _, rules := range [2][]*compiled{s.byWord[c.tokens[i].Text], s.open} {
			for _, r := range rules {
				if at := r.find(c, part, i); at >= 0 {
					hits = append(hits, hit{r.rule, int32(at), c.tokens[at].Line})
				}
			}
		}
	}
	return hits
}

// find matches a rule at token i of a part, and returns the token at which the
// risk is, or -1.
func (r *compiled) find(c *code, part syntax.Function, i int) int {
	c.bindings = [slots]bind{}
	end := c.match(r.first, i)
	if end < 0 {
		return -1
	}
	if len(r.then) > 0 {
		return r.follow(c, part, i, end)
	}
	if c.anyIn(r.unless, max(part.Begin, part.Body), i) || c.anyIn(r.never, end, c.scope(i, end, part.End)) {
		return -1
	}
	return i
}

// follow finds what must follow the first part of a rule in tokens [i:end).
func (r *compiled) follow(c *code, part syntax.Function, i, end int) int {
	limit := c.scope(i, end, part.End)
	if r.atFirst && c.anyIn(r.then, max(part.Begin, part.Body), i) {
		return -1 // it was checked before
	}
	for j := end; j < limit; j++ {
		switch {
		case c.anyAt(r.unless, j):
			return -1
		case !c.anyAt(r.then, j):
		case c.anyIn(r.never, end, limit):
			return -1
		case r.atFirst:
			return i
		default:
			return j
		}
	}
	return -1
}

// anyAt reports whether one of patterns matches at token i. It does not keep the
// variables that the pattern binds.
func (c *code) anyAt(patterns []pattern, i int) bool {
	bound := c.bindings
	for _, p := range patterns {
		at := c.match(p, i)
		c.bindings = bound
		if at >= 0 {
			return true
		}
	}
	return false
}

// anyIn reports whether one of patterns matches in tokens [i:end).
func (c *code) anyIn(patterns []pattern, i, end int) bool {
	if len(patterns) == 0 {
		return false
	}
	for ; i < end; i++ {
		if c.anyAt(patterns, i) {
			return true
		}
	}
	return false
}

// jumps lists statements after which the rest of a block is not executed.
var jumps = map[string]bool{
	"return": true, "break": true, "continue": true, "goto": true, "throw": true, "raise": true, "panic": true,
}

// scope returns the end of the block that contains the tokens [i:end), or of the
// first jump that leaves it.
func (c *code) scope(i, end, limit int) int {
	limit = min(limit, end+scopeLimit)
	indent := c.indent(i)
	depth := 0
	for j := end; j < limit; j++ {
		c.fuel--
		t := c.tokens[j]
		switch {
		case t.Text == "{":
			depth++
		case t.Text == "}":
			depth--
		case depth == 0 && t.Text == "else":
			return j
		case depth == 0 && jumps[t.Text] && c.leaves(j):
			return min(limit, c.statementEnd(j+1))
		}
		if depth < 0 || c.indents && t.First && t.Col < indent {
			return j
		}
	}
	return limit
}

// leaves reports whether the jump at j is a statement of the block itself and not
// the only statement of an if without braces.
func (c *code) leaves(j int) bool {
	if j > 0 && c.tokens[j-1].Text == ")" {
		return false
	}
	return !c.indents
}

// indent returns the indentation of the line of token i.
func (c *code) indent(i int) int32 {
	return c.tokens[syntax.LineStart(c.tokens, i, 0)].Col
}

// statementEnd returns the token after the statement that contains token i.
func (c *code) statementEnd(i int) int {
	for ; i < len(c.tokens); i++ {
		switch c.tokens[i].Text {
		case ";":
			return i + 1
		case "}":
			return i
		case "{", "(", "[":
			i = c.closing(i) - 1
		default:
			if c.breaks(i) {
				return i
			}
		}
	}
	return i
}

// surest returns, ordered by line, the most certain of the hits with the same
// line and kind.
func surest(hits []hit) []hit {
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.line != b.line {
			return int(a.line - b.line)
		}
		return b.rule.sure - a.rule.sure
	})
	kept := hits[:0]
	for i, h := range hits {
		same := func(k hit) bool { return k.line == h.line && k.rule.kind == h.rule.kind }
		if i == 0 || !slices.ContainsFunc(kept[max(0, len(kept)-len(kinds)):], same) {
			kept = append(kept, h)
		}
	}
	return slices.Clip(kept)
}
