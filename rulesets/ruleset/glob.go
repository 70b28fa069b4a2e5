package ruleset

import "strings"

const (
	// maxAlternatives limits in how many ways the braces of a pattern can be read.
	maxAlternatives = 256
	// maxPattern is the length limit of a pattern.
	maxPattern = 1024
)

// A Pattern is a glob pattern for names: * stands for any run of characters, ? for any
// single one, [a-z] for one of a class and [!a-z] or [^a-z] for one outside it, {a,b}
// for alternatives, and \ takes the meaning from the character that follows. Everything
// else, an opening bracket or brace without its end too, stands for itself.
type Pattern struct{ alternatives []alternative }

// An alternative is a way to read the braces of a pattern: a text, then elements.
type alternative struct {
	prefix   string
	elements []element
}

// An element is a set of bytes, or any run of bytes.
type element struct {
	run bool
	set byteSet
}

// A byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }
func (s *byteSet) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

// ParsePattern reads a pattern. One that is longer than 1024 bytes, or whose braces can
// be read in more than 256 ways, matches nothing.
func ParsePattern(text string) Pattern {
	var p Pattern
	if len(text) > maxPattern {
		return p
	}
	for _, one := range expand(text) {
		plain := strings.IndexAny(one, `*?[\`)
		if plain < 0 {
			plain = len(one)
		}
		p.alternatives = append(p.alternatives, alternative{one[:plain], parseElements(one[plain:])})
	}
	return p
}

// Match reports whether the whole of a name matches a pattern; see [Pattern].
func Match(pattern, name string) bool { return ParsePattern(pattern).Match(name) }

// Match reports whether the whole of a name matches. For each alternative it takes at
// most as many steps as the pattern has bytes times those of the name.
func (p Pattern) Match(name string) bool {
	for _, a := range p.alternatives {
		if rest, ok := strings.CutPrefix(name, a.prefix); ok && matchElements(a.elements, rest) {
			return true
		}
	}
	return false
}

func matchElements(elements []element, name string) bool {
	p, n := 0, 0
	star, mark := -1, 0 // the last run seen, and where in name it began
	for n < len(name) {
		switch {
		case p < len(elements) && elements[p].run:
			star, mark = p, n
			p++
		case p < len(elements) && elements[p].set.has(name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(elements) && elements[p].run {
		p++
	}
	return p == len(elements)
}

// parseElements reads a pattern without alternatives.
func parseElements(text string) (elements []element) {
	for i := 0; i < len(text); i++ {
		var e element
		switch c := text[i]; {
		case c == '*':
			e.run = true
		case c == '?':
			e.set.invert()
		case c == '[' && classEnd(text[i:]) > 0:
			end := i + classEnd(text[i:])
			e.set = parseClass(text[i+1 : end])
			i = end
		case c == '\\' && i+1 < len(text):
			i++
			e.set.add(text[i])
		default:
			e.set.add(c)
		}
		elements = append(elements, e)
	}
	return elements
}

// classEnd returns where the class at the beginning of a text ends, 0 if it does not. A
// bracket that comes first belongs to the class.
func classEnd(text string) int {
	i := 1
	if i < len(text) && (text[i] == '!' || text[i] == '^') {
		i++
	}
	for first := i; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == ']' && i > first:
			return i
		}
	}
	return 0
}

// parseClass reads what is between the brackets of a class.
func parseClass(text string) (set byteSet) {
	inverted := text != "" && (text[0] == '!' || text[0] == '^')
	if inverted {
		text = text[1:]
	}
	next := func() byte { // the first byte, without its backslash
		if text[0] == '\\' && len(text) > 1 {
			text = text[1:]
		}
		c := text[0]
		text = text[1:]
		return c
	}
	for text != "" {
		from := next()
		to := from
		if len(text) > 1 && text[0] == '-' {
			text = text[1:]
			to = next()
		}
		for c := int(from); c <= int(to); c++ {
			set.add(byte(c))
		}
	}
	if inverted {
		set.invert()
	}
	return set
}

// expand returns the alternatives of a pattern with braces, none if they are too many.
func expand(text string) []string {
	open, parts, after := braces(text)
	if parts == nil {
		return []string{text}
	}
	tails := expand(after)
	var all []string
	for _, part := range parts {
		heads := expand(part)
		if len(all)+len(heads)*len(tails) > maxAlternatives || len(heads) == 0 {
			return nil
		}
		for _, head := range heads {
			for _, tail := range tails {
				all = append(all, open+head+tail)
			}
		}
	}
	return all
}

// braces takes a pattern apart at its first pair of braces: the text before them, the
// parts between them, and the text after them. There are no parts if there is no pair.
func braces(text string) (before string, parts []string, after string) {
	open, depth, from := -1, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			i += classEnd(text[i:])
		case c == '{':
			if depth++; depth == 1 {
				open, from, parts = i, i+1, nil
			}
		case c == ',' && depth == 1:
			parts, from = append(parts, text[from:i]), i+1
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return text[:open], append(parts, text[from:i]), text[i+1:]
			}
		}
	}
	return "", nil, ""
}

// HasWildcard reports whether a pattern can match more than one name.
func HasWildcard(pattern string) bool { return strings.ContainsAny(pattern, `*?[{`) }
