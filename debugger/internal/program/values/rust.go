package values

import (
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// showRust shows enums by their variant, and strings, vectors, slices and
// references as Rust writes them.
func showRust(r *renderer, o Object, depth, pointers int) (content, bool, error) {
	t := o.Type.Strip()
	switch {
	case t.Name() == "()":
		return content{text: "()"}, true, nil
	case t.VariantPart() != nil:
		c, err := rustEnum(r, o, t, depth, pointers)
		return c, true, err
	case t.Kind == types.KindPointer && (strings.HasPrefix(t.Name(), "&") || strings.HasPrefix(t.Name(), boxPrefix)):
		c, err := rustReference(r, o, t, depth, pointers)
		return c, true, err
	case isText(t):
		c, err := rustString(r, o)
		return c, err == nil, lastingError(err)
	}
	if c, ok, err := showTraitObject(r, o, depth, pointers); ok {
		return c, true, err
	}
	if show := find(r.rust, libraryName(t)); show != nil {
		c, err := show(r, o, depth, pointers)
		return c, err == nil, lastingError(err)
	}
	s, ok, err := sequenceOf(o)
	if err != nil || !ok {
		return content{}, false, lastingError(err)
	}
	c, err := r.elements(s.length, styles[lang.Rust], s.at, depth, pointers)
	return c, true, err
}

// rustEnum shows the variant that the discriminant selects.
func rustEnum(r *renderer, o Object, t *types.Type, depth, pointers int) (content, error) {
	c, err := rustVariant(o, t)
	if err != nil {
		return content{}, err
	}
	m, err := r.members(o.Field(&c.Field), c.Field.Type().Strip(), depth, pointers)
	if err != nil {
		return content{}, err
	}
	name := shortName(c.Field.Type().String())
	if c.Field.Name != "" && !isDigits(c.Field.Name) { // the states of an async function have numbers, and types with names
		name = c.Field.Name
	}
	m.text = name + styles[lang.Rust].join(m.children, m.cut, r.limits.maxText())
	return m, nil
}

// isDigits reports whether a text is a number.
func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// rustVariant returns the variant with the discriminant's value, or else the
// variant without a discriminant (the default one).
func rustVariant(o Object, t *types.Type) (*types.Variant, error) {
	variants := t.VariantPart()
	var value, mask uint64
	if variants.HasDiscriminant {
		d := o.Field(&variants.Discriminant)
		size := d.Size()
		if size > 8 { // the low half distinguishes the variants
			size = 8
			d = d.part("", variants.Discriminant.Type(), 0)
		}
		var p [8]byte
		if err := d.read(0, p[:max(size, 0)]); err != nil {
			return nil, err
		}
		value, mask = word(p[:]), ^uint64(0)>>(64-8*max(size, 1))
	}
	var fallback *types.Variant
	for i := range variants.Variants {
		c := &variants.Variants[i]
		switch {
		case c.Fallback:
			fallback = c
		case c.Value&mask == value&mask:
			return c, nil
		}
	}
	if fallback == nil {
		return nil, errors.New("discriminant names no variant")
	}
	return fallback, nil
}

// boxPrefix is the start of the names of boxes, which are pointers, too.
const boxPrefix = "alloc::boxed::Box<"

// rustReference follows a reference or a box.
func rustReference(r *renderer, o Object, t *types.Type, depth, pointers int) (content, error) {
	if pointers >= r.limits.Pointers {
		return r.pointer(o, t, depth, pointers)
	}
	to, err := o.Deref()
	if err != nil {
		return content{}, err
	}
	v := r.value(to, depth+1, pointers+1)
	if !strings.HasPrefix(t.Name(), boxPrefix) {
		v.Text = "&" + v.Text
	}
	return content{text: v.Text, children: v.Children, cut: v.Cut}, nil
}

func rustString(r *renderer, o Object) (content, error) {
	s, _, err := textOf(o)
	if err != nil {
		return content{}, err
	}
	return r.text(o.View.Memory, s.start, s.length)
}

// ringAt returns an element of a VecDeque, a ring buffer.
func ringAt(o Object, n int64) (Object, error) {
	start, err := o.down("buf.inner.ptr.pointer.pointer")
	if err != nil {
		return Object{}, err
	}
	first, err := start.Uint()
	head, err1 := o.number("head")
	room, err2 := o.down("buf.inner.cap")
	elem := o.Type.TemplateArg(0)
	if err := errors.Join(err, err1, err2); err != nil || elem == nil {
		return Object{}, errors.Join(err, errors.New("queue is not valid"))
	}
	places, err := firstNumber(room)
	if err != nil {
		return Object{}, err
	}
	at := head + uint64(n)
	if places > 0 {
		at %= places
	}
	return o.At(elem, first+at*uint64(elem.ByteSize())), nil
}

// firstNumber reads a number that is nested in structs of one member each.
func firstNumber(o Object) (uint64, error) {
	m, ok := o.find(4, func(f types.Field) bool { return f.Type().Strip().Kind == types.KindUint })
	if !ok {
		return 0, errors.New("number is not valid")
	}
	return m.Uint()
}
