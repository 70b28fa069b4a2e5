package pattern

import (
	"strings"
	"unicode"
)

// escape returns the characters of an escape. The backslash, at a position, is consumed.
func (p *parser) escape(at int) set {
	r := p.next()
	if c, ok := singleEscapes[r]; ok {
		return set{{c, c}}
	}
	if r == 'p' || r == 'P' {
		return p.category(at, r == 'P')
	}
	members := multiEscapes[unicode.ToLower(r)]
	if members == nil {
		if r == 0 {
			p.fail(at, "the backslash escapes nothing")
		}
		p.fail(at, `\%c is not an escape of the grammar`, r)
	}
	return p.remember(string(r), func() set {
		if unicode.IsUpper(r) {
			return members().complement()
		}
		return members()
	})
}

// category returns the characters of an escape like \p{Lu} or \P{IsThai}.
func (p *parser) category(at int, complement bool) set {
	name, _, ok := strings.Cut(p.text[p.at:], "}")
	if !ok || !strings.HasPrefix(name, "{") {
		p.fail(at, "a category is written as \\p{name}")
	}
	p.at += len(name) + 1
	members := p.remember(name, func() set { return property(name[1:]) })
	if members == nil {
		p.fail(at, "there is no category or block '%s'", name[1:])
	}
	if complement {
		return p.remember("P"+name, members.complement)
	}
	return members
}

// remember returns the set of an escape, which is made once for each pattern.
func (p *parser) remember(name string, make func() set) set {
	s, ok := p.known[name]
	if !ok {
		s = make()
		p.known[name] = s
	}
	return s
}

// charClassExpr reads a class; its bracket, at a position, is consumed.
func (p *parser) charClassExpr(at int) set {
	p.enter()
	negative := p.accept("^")
	g := &group{parser: p, start: p.at, seen: map[string]bool{}}
	for !g.ended() {
		g.member()
	}
	s := newSet(g.ranges)
	if negative {
		s = s.complement()
	}
	if p.accept("[") {
		s = s.minus(p.charClassExpr(p.at - 1))
	}
	if !p.accept("]") {
		p.fail(at, "the class has no end")
	}
	p.depth--
	if p.ranges += len(s); p.ranges > maxRanges {
		p.fail(at, "the classes have more than the %d ranges of characters that are supported", maxRanges)
	}
	return s
}

// A group collects the members of a positive character group.
type group struct {
	*parser
	start  int
	ranges []runeRange
	seen   map[string]bool // the escapes that are in ranges
}

// ended reports whether the group is over: at the end of the class, or of the text, or at
// the minus sign of a subtraction, which it consumes.
func (g *group) ended() bool {
	switch {
	case g.at == g.start:
		if g.peek() == ']' {
			g.fail(g.at, "the class is empty")
		}
		return g.peek() == 0
	case strings.HasPrefix(g.text[g.at:], "-["):
		g.at++
		return true
	}
	return g.peek() == ']' || g.peek() == 0
}

// member reads a range, a character or an escape.
func (g *group) member() {
	at := g.at
	s, single := g.charOrEsc()
	if !single {
		if escape := g.text[at:g.at]; !g.seen[escape] {
			g.seen[escape] = true
			g.ranges = append(g.ranges, s...)
		}
		return
	}
	low, rest := s[0].low, g.text[g.at:]
	if g.text[at] == '-' && at > g.start && !strings.HasPrefix(rest, "]") && !strings.HasPrefix(rest, "-[") {
		g.fail(at, "a minus sign is a member of a class only at its start or end")
	}
	if g.text[at] == '-' || !isRange(rest) {
		g.ranges = append(g.ranges, runeRange{low, low})
		return
	}
	g.at++
	end := g.at
	t, single := g.charOrEsc()
	switch {
	case !single || g.text[end] == '-':
		g.fail(end, "a range ends with a character")
	case t[0].low < low:
		g.fail(at, "the range has its ends in the wrong order")
	}
	g.ranges = append(g.ranges, runeRange{low, t[0].low})
}

// isRange reports whether the rest of a class, after a character, makes a range of it:
// the minus sign is not the last member.
func isRange(rest string) bool {
	return strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "-]") &&
		!strings.HasPrefix(rest, "-[") && !strings.HasPrefix(rest, "--[")
}

// charOrEsc reads a character or an escape, and reports whether it is a single character.
func (g *group) charOrEsc() (s set, single bool) {
	at := g.at
	switch r := g.next(); r {
	case '[':
		g.fail(at, `the character [ must be written as \[`)
	case '\\':
		s = g.escape(at)
		_, single = singleEscapes[rune(g.text[at+1])]
		return s, single
	case 0:
		g.fail(at, "the class has no end")
	default:
		return set{{r, r}}, true
	}
	return nil, false
}
