package bugs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// dividedByZero detects the fault of a division. The processor raises the same
// exception if the quotient does not fit.
func dividedByZero(s evidence) (Kind, string) {
	if s.site.Signal != "SIGFPE" {
		return "", ""
	}
	if name, ok := s.zeroDivisor(); ok {
		return DivisionByZero, name + " is 0 and divides"
	}
	for _, name := range divisors(s.line) {
		if v, ok := s.number(name); ok {
			return IntegerOverflow, fmt.Sprintf("the division overflowed: %s is %d, and the quotient does not fit", name, v)
		}
	}
	return DivisionByZero, "the processor refused a division, as it does for the divisor 0"
}

// zeroDivisor detects a zero divisor when there was no signal.
func zeroDivisor(s evidence) (Kind, string) {
	if name, ok := s.zeroDivisor(); ok {
		return DivisionByZero, name + " is 0 and divides"
	}
	return "", ""
}

func (s evidence) zeroDivisor() (string, bool) {
	for _, name := range divisors(s.line) {
		if v, ok := s.number(name); ok && v == 0 {
			return name, true
		}
	}
	return "", false
}

// divisors returns the names after the division signs of a line.
func divisors(line []syntax.Token) []string {
	var names []string
	for i, t := range line[:max(0, len(line)-1)] {
		if slices.Contains([]string{"/", "%", "/=", "%=", "//"}, t.Text) && line[i+1].Kind == syntax.NameToken {
			names = append(names, pathText(line, i+1))
		}
	}
	return names
}

// pathText returns the text of the path that begins at token i.
func pathText(line []syntax.Token, i int) string {
	c := code{tokens: line}
	var text strings.Builder
	for _, t := range line[i:c.pathEnd(i)] {
		text.WriteString(t.Text)
	}
	return text.String()
}

// number returns the value of a variable if it is a number.
func (s evidence) number(name string) (int64, bool) {
	text, ok := s.site.Values[name]
	if !ok {
		return 0, false
	}
	return parseNumber(text)
}

// parseNumber parses text that is a number or begins with one: symbols may follow
// the value of a pointer.
func parseNumber(text string) (int64, bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if v, err := strconv.ParseInt(word, 0, 64); err == nil {
		return v, true
	}
	v, err := strconv.ParseUint(word, 0, 64)
	return int64(v), err == nil
}

// nullValue detects a null pointer that the line follows, when there was no
// signal.
func nullValue(s evidence) (Kind, string) {
	for i, t := range s.line {
		if t.Kind != syntax.NameToken || !followed(s.line, i) {
			continue
		}
		if text, ok := s.site.Values[t.Text]; ok && isNull(text) {
			return NullDereference, t.Text + " is null and is followed"
		}
	}
	return "", ""
}

// followed reports whether the name at token i is dereferenced.
func followed(line []syntax.Token, i int) bool {
	if i+1 < len(line) && slices.Contains([]string{"->", ".", "["}, line[i+1].Text) {
		return true
	}
	return i > 0 && line[i-1].Text == "*" && (i == 1 || line[i-2].Kind == syntax.SymbolToken)
}

// badIndex detects an index that is negative, or not less than a length that is
// known by the name len(x), x.len or x.size.
func badIndex(s evidence) (Kind, string) {
	for i := 0; i+3 < len(s.line); i++ {
		if s.line[i].Kind != syntax.NameToken || s.line[i+1].Text != "[" || s.line[i+3].Text != "]" {
			continue
		}
		index, ok := s.index(s.line[i+2])
		if !ok {
			continue
		}
		if index < 0 {
			return OutOfBounds, fmt.Sprintf("%s is %d and an index", s.line[i+2].Text, index)
		}
		if n, ok := s.length(s.line[i].Text); ok && index >= n {
			return OutOfBounds, fmt.Sprintf("%s is %d, and %s has %d elements", s.line[i+2].Text, index, s.line[i].Text, n)
		}
	}
	return "", ""
}

func (s evidence) index(t syntax.Token) (int64, bool) {
	if t.Kind == syntax.NumberToken {
		return parseNumber(t.Text)
	}
	return s.number(t.Text)
}

func (s evidence) length(name string) (int64, bool) {
	for _, form := range []string{"len(%s)", "%s.len", "%s.size", "%s.length"} {
		if n, ok := s.number(fmt.Sprintf(form, name)); ok {
			return n, true
		}
	}
	return 0, false
}
