package types

import (
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// maxSpelling bounds the depth of a spelled type.
const maxSpelling = 32

// String returns the type as its language spells it, without default arguments
// of the C++ library's templates.
func (t *Type) String() string {
	s := t.spell("", 0)
	if t.Lang == lang.CPlusPlus && strings.Contains(s, "<") {
		return withoutDefaults(s)
	}
	return s
}

// Name returns the name that the program gave the type, qualified; empty for
// types without one.
func (t *Type) Name() string { return t.name }

// Signed reports whether the type's numbers have a sign.
func (t *Type) Signed() bool {
	t = t.Strip()
	if t.Kind != KindEnum {
		return t.signed
	}
	if t.hasElem { // the type that holds the values
		return t.Set.At(t.elem).Signed()
	}
	return slices.ContainsFunc(t.Enumerators(), func(e Enumerator) bool { return e.Value < 0 })
}

// spell spells the type around a declarator, as C does: the element type of an
// array or the result of a function stands before it, dimensions and
// parameters after.
func (t *Type) spell(inner string, depth int) string {
	if depth > maxSpelling {
		return "…"
	}
	if t.name != "" && t.Kind != KindArray && t.Kind != KindFunc || t.Lang == lang.Go && t.name != "" {
		return join(t.prefix()+t.name, inner)
	}
	next := func(s string) string { return t.Elem().spell(s, depth+1) }
	switch t.Kind {
	case KindPointer:
		return next(t.bracket("*" + inner))
	case KindReference:
		return next(t.bracket("&" + inner))
	case KindRvalueReference:
		return next(t.bracket("&&" + inner))
	case KindConst, KindVolatile, KindRestrict, KindAtomic:
		return t.qualified(inner, depth)
	case KindArray:
		return t.array(inner, depth)
	case KindFunc:
		return next(inner + "(" + t.parameters(depth) + ")")
	case KindMemberPointer:
		return next(t.bracket(t.Set.At(t.owner).String() + "::*" + inner))
	case KindVoid:
		return join("void", inner)
	}
	return join(t.anonymous(), inner)
}

// bracket puts a pointer in parentheses when it points to an array or
// function.
func (t *Type) bracket(inner string) string {
	switch t.Elem().Kind {
	case KindArray, KindFunc:
		return "(" + inner + ")"
	}
	return inner
}

// join joins a name and a declarator: "int *", "int [4]", "int".
func join(name, inner string) string {
	if inner == "" {
		return name
	}
	return name + " " + inner
}

// prefix returns the keyword that C requires before a tag.
func (t *Type) prefix() string {
	if t.Lang != lang.C {
		return ""
	}
	return tags[t.Kind]
}

var tags = map[Kind]string{KindStruct: "struct ", KindUnion: "union ", KindEnum: "enum ", KindClass: "class "}

// anonymous spells a type without a name.
func (t *Type) anonymous() string {
	if tag := tags[t.Kind]; tag != "" {
		return tag + "{...}"
	}
	return "<unknown type>"
}

// qualifiers are the words of the kinds that qualify another type.
var qualifiers = map[Kind]string{
	KindConst: "const", KindVolatile: "volatile", KindRestrict: "restrict", KindAtomic: "_Atomic",
}

// qualified puts qualifiers in front of a name, or behind the star of a pointer.
// Compilers repeat the qualifiers of an array at its elements; they are written once.
func (t *Type) qualified(inner string, depth int) string {
	words, e := t.qualifiers()
	if e.Kind == KindArray {
		twice, _ := e.Elem().qualifiers()
		words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(twice, w) })
	}
	q := strings.Join(words, " ")
	switch {
	case q == "":
		return e.spell(inner, depth+1)
	case e.Kind == KindPointer, e.Kind == KindReference, e.Kind == KindMemberPointer:
		return e.spell(" "+join(q, inner), depth+1)
	}
	return q + " " + e.spell(inner, depth+1)
}

// qualifiers returns the qualifiers around a type, const first, and the type
// without them.
func (t *Type) qualifiers() (words []string, bare *Type) {
	for range MaxRenames {
		q := qualifiers[t.Kind]
		if q == "" {
			break
		}
		if q == "const" {
			words = slices.Insert(words, 0, q)
		} else {
			words = append(words, q)
		}
		t = t.Elem()
	}
	return words, t
}

func (t *Type) array(inner string, depth int) string {
	var b strings.Builder
	b.WriteString(inner)
	for _, n := range t.Dimensions() {
		if n < 0 {
			b.WriteString("[]")
			continue
		}
		b.WriteString("[" + strconv.FormatInt(n, 10) + "]")
	}
	if t.Lang == lang.Rust && len(t.dims) == 1 {
		return "[" + t.Elem().spell("", depth+1) + "; " + strconv.FormatInt(t.dims[0], 10) + "]" + inner
	}
	return t.Elem().spell(b.String(), depth+1)
}

func (t *Type) parameters(depth int) string {
	t.load()
	var names []string
	for _, p := range t.params {
		names = append(names, t.Set.At(p).spell("", depth+1))
	}
	if len(names) == 0 && t.Lang == lang.C {
		return "void"
	}
	return strings.Join(names, ", ")
}
