package values

import (
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A style is the syntax of composite values in a language.
type style struct {
	open, close string // enclose members
	is          string // separates a member's name and value
	begin, end  string // enclose elements
	typed       bool   // the type's name precedes the value
}

var styles = map[lang.Lang]style{
	lang.Rust: {" {", "}", ": ", "[", "]", true},
	lang.Go:   {" {", "}", ": ", "[", "]", true},
}

var cStyle = style{"{", "}", " = ", "{", "}", false}

func styleOf(t *types.Type) style {
	if s, ok := styles[t.Lang]; ok {
		return s
	}
	return cStyle
}

// name returns the text before the members.
func (s style) name(t *types.Type) string {
	if name := t.String(); !s.typed || strings.HasPrefix(name, "(") || strings.HasPrefix(name, "struct {") {
		return ""
	}
	return shortName(t.String())
}

// shortName returns a name without qualifiers and template arguments.
func shortName(name string) string {
	if i := strings.IndexByte(name, '<'); i > 0 {
		name = name[:i]
	}
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	return name
}

// join joins members in one line. The members of tuples, which are numbered, are
// written without names.
func (s style) join(vs []Value, cut bool, limit int) string {
	if s.typed && len(vs) > 0 && isTuple(vs) {
		return "(" + s.commas(vs, cut, false, limit) + ")"
	}
	if s.typed && len(vs) == 0 {
		return ""
	}
	return s.open + s.commas(vs, cut, true, limit) + s.close
}

func isTuple(vs []Value) bool {
	for _, v := range vs {
		if !strings.HasPrefix(v.Name, "__") || strings.Trim(v.Name[2:], "0123456789") != "" || len(v.Name) < 3 {
			return false
		}
	}
	return true
}

// list joins elements in one line.
func (s style) list(vs []Value, cut bool, limit int) string {
	return s.begin + s.commas(vs, cut, false, limit) + s.end
}

func (s style) commas(vs []Value, cut, named bool, limit int) string {
	var b strings.Builder
	for i, v := range vs {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > limit {
			cut = true
			break
		}
		if named && v.Name != "" {
			b.WriteString(v.Name + s.is)
		}
		b.WriteString(v.Text)
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}
