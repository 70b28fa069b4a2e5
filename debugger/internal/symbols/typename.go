package symbols

import (
	"context"
	"debug/dwarf"
	"fmt"
	"strconv"
	"strings"
)

// maxSpelling bounds how deep a type's name is spelt out.
const maxSpelling = 32

// String returns the type as its language writes it. Arguments of the C++
// library's templates that people leave to their defaults are left out.
func (t *Type) String() string {
	s := t.spell("", 0)
	if t.Lang == CPlusPlus && strings.Contains(s, "<") {
		return withoutDefaults(s)
	}
	return s
}

// Name returns the name that the program gave the type, qualified; empty for
// types without one.
func (t *Type) Name() string { return t.name }

// Signed reports whether the type's numbers have a sign.
func (t *Type) Signed() bool { return t.Strip().signed }

// Parameters returns the types of a function's parameters.
func (t *Type) Parameters() []*Type {
	s := t.Strip()
	s.load()
	var out []*Type
	for _, p := range s.params {
		out = append(out, s.d.typeAt(p))
	}
	return out
}

// Type returns the type of a name, as the debug information has it ("point",
// "app::Box<double>", "long"), from any image.
func (p *Program) Type(ctx context.Context, name string) (*Type, error) {
	for _, im := range p.Images() {
		d := im.debug()
		if d == nil {
			continue
		}
		if err := d.loadAll(ctx); err != nil {
			return nil, err
		}
		if t := d.typeNamed(name); t != nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("type %s: %w", name, ErrNotFound)
}

// spell writes the type around a declarator, as C does: the name of what an
// array or function consists of stands in front, its shape behind.
func (t *Type) spell(inner string, depth int) string {
	if depth > maxSpelling {
		return "…"
	}
	if t.name != "" && t.Kind != KindArray && t.Kind != KindFunc || t.Lang == Go && t.name != "" {
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
		return next(t.bracket(t.d.typeAt(t.owner).String() + "::*" + inner))
	case KindVoid:
		return join("void", inner)
	}
	return join(t.anonymous(), inner)
}

// bracket puts a pointer in parentheses where what it points to has its shape
// behind the name.
func (t *Type) bracket(inner string) string {
	switch t.Elem().Kind {
	case KindArray, KindFunc:
		return "(" + inner + ")"
	}
	return inner
}

// join puts a declarator behind a name: "int *", "int [4]", "int".
func join(name, inner string) string {
	if inner == "" {
		return name
	}
	return name + " " + inner
}

// prefix is the word that C wants in front of a tag.
func (t *Type) prefix() string {
	if t.Lang != C {
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

var qualifiers = map[Kind]string{
	KindConst: "const", KindVolatile: "volatile", KindRestrict: "restrict", KindAtomic: "_Atomic",
}

// qualified puts qualifiers in front of a name, or behind the star of a pointer.
// Of two, const comes first.
func (t *Type) qualified(inner string, depth int) string {
	var words []string
	e := t
	for range maxRenames {
		q := qualifiers[e.Kind]
		if q == "" {
			break
		}
		if q == "const" {
			words = append([]string{q}, words...)
		} else {
			words = append(words, q)
		}
		e = e.Elem()
	}
	q := strings.Join(words, " ")
	switch e.Kind {
	case KindPointer, KindReference, KindMemberPointer:
		return e.spell(" "+join(q, inner), depth+1)
	}
	return q + " " + e.spell(inner, depth+1)
}

func (t *Type) array(inner string, depth int) string {
	var b strings.Builder
	b.WriteString(inner)
	for _, n := range t.dimensions() {
		if n < 0 {
			b.WriteString("[]")
			continue
		}
		b.WriteString("[" + strconv.FormatInt(n, 10) + "]")
	}
	if t.Lang == Rust && len(t.dims) == 1 {
		return "[" + t.Elem().spell("", depth+1) + "; " + strconv.FormatInt(t.dims[0], 10) + "]" + inner
	}
	return t.Elem().spell(b.String(), depth+1)
}

func (t *Type) parameters(depth int) string {
	t.load()
	var names []string
	for _, p := range t.params {
		names = append(names, t.d.typeAt(p).spell("", depth+1))
	}
	if len(names) == 0 && t.Lang == C {
		return "void"
	}
	return strings.Join(names, ", ")
}

// typeNamed returns the type of a name that has a description, from all units;
// nil when there is none.
func (d *debugInfo) typeNamed(name string) *Type {
	off, ok := d.typeOffset(name)
	if !ok {
		return nil
	}
	return d.typeAt(off)
}

// typeIn is typeNamed for a type that is described in a unit whose name is known,
// so that the others need not be read.
func (d *debugInfo) typeIn(unit, name string) *Type {
	var off dwarf.Offset
	found := false
	err := d.do(func() error {
		for _, u := range d.units {
			if u.headLocked() == nil && u.name == unit {
				u.load()
				off, found = d.named[name]
				break
			}
		}
		return nil
	})
	if err != nil || !found {
		return d.typeNamed(name)
	}
	return d.typeAt(off)
}
