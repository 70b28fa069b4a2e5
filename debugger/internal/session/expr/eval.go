package expr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// Eval evaluates an expression.
func (e *Expr) Eval(ctx context.Context, scope Scope) (Value, error) {
	v, err := e.root.eval(&evaluator{ctx: ctx, scope: scope, lang: scope.Language()})
	return v.withText(scope), err
}

// withText adds what a computed pointer to characters points to.
func (v Value) withText(scope Scope) Value {
	if v.object != nil || v.typ == nil || v.typ.class != pointer || !v.typ.elem().isCharacter() {
		return v
	}
	v.chars = new(scope.At(types.Character, v.bits))
	return v
}

// isCharacter reports whether the type is a character of C of one byte.
func (t *typ) isCharacter() bool {
	switch {
	case t == nil || t.size != 1:
		return false
	case t.sym != nil:
		return t.sym.IsCharacter()
	}
	return t.isWhole() && strings.HasSuffix(t.name, "char")
}

// constants are predeclared names, which variables of the program hide.
var constants = map[string]Value{
	"true": {typ: &typ{class: boolean, size: 1, name: "bool"}, bits: 1}, "false": {typ: &typ{class: boolean, size: 1, name: "bool"}},
	"NULL": {typ: pointerTo(nil)}, "nullptr": {typ: pointerTo(nil)}, "nil": {typ: pointerTo(nil)},
}

func (n *nameNode) eval(e *evaluator) (Value, error) {
	o, err := e.scope.Variable(e.ctx, n.name)
	if err == nil {
		return place(o), nil
	}
	if !errors.Is(err, symbols.ErrNotFound) {
		return Value{}, err
	}
	if c, ok := constants[n.name]; ok {
		return c, nil
	}
	addr, data, err := e.scope.Symbol(e.ctx, n.name)
	switch {
	case errors.Is(err, symbols.ErrNotFound):
		return Value{}, &NameError{n.name}
	case err != nil:
		return Value{}, fmt.Errorf("%s: %w", n.name, err)
	case data:
		o := e.scope.At(&types.Type{Kind: types.KindVoid}, addr)
		return Value{typ: untypedData, object: &o}, nil
	}
	return Value{typ: pointerTo(&typ{name: "code", size: 1}), bits: addr}, nil
}

func (n *registerNode) eval(e *evaluator) (Value, error) {
	name := strings.ToLower(n.name)
	if o, ok, err := e.scope.Vector(name); ok || err != nil {
		return placed(o, err)
	}
	value, size, err := e.scope.Register(name)
	if err != nil {
		return Value{}, err
	}
	return Value{typ: computed(unsigned, int64(size), e.lang), bits: value, hex: true}, nil
}

func (n *literalNode) eval(e *evaluator) (Value, error) {
	v := n.value
	if v.text != nil {
		return v, nil
	}
	v.typ = computed(v.typ.class, v.typ.size, e.lang)
	return v, nil
}

// eval gives a number the first of C's types that it fits into (C17, 6.4.4.1).
func (n *numberNode) eval(e *evaluator) (Value, error) {
	c, size := signed, int64(4)
	switch {
	case n.number > math.MaxInt64 || n.unsigned && n.number > math.MaxUint32:
		c, size = unsigned, 8
	case n.unsigned && !n.long:
		c = unsigned
	case n.number > math.MaxUint32 || n.long || n.decimal && n.number > math.MaxInt32:
		size = 8
	case n.number > math.MaxInt32:
		c = unsigned
	}
	if n.unsigned {
		c = unsigned
	}
	if e.lang == lang.Go {
		size = 8
	}
	return Value{typ: computed(c, size, e.lang), bits: n.number}, nil
}

// eval finds a member. In Go it may also be a name in a package.
func (n *memberNode) eval(e *evaluator) (Value, error) {
	of, err := n.of.eval(e)
	if left, ok := n.of.(*nameNode); ok && errors.Is(err, symbols.ErrNotFound) {
		qualified := nameNode{left.name + "." + n.name}
		if v, qualifiedErr := qualified.eval(e); qualifiedErr == nil {
			return v, nil
		}
	}
	if err != nil {
		return Value{}, err
	}
	if of.typ.class == pointer && (of.object == nil || of.typ.sym == nil) {
		if of, err = e.deref(of); err != nil {
			return Value{}, err
		}
	}
	if of.object == nil || of.typ.sym == nil {
		return Value{}, fmt.Errorf("a %s has no members", of.Type())
	}
	return placed(of.object.Reach(n.name, n.arrow))
}

func (n *indexNode) eval(e *evaluator) (Value, error) {
	of, err := n.of.eval(e)
	if err != nil {
		return Value{}, err
	}
	if of.object != nil && of.typ.sym != nil && of.object.IsMap() {
		key, err := e.key(n.index)
		if err != nil {
			return Value{}, err
		}
		return placed(of.object.Element(key))
	}
	index, err := e.whole(n.index)
	if err != nil {
		return Value{}, err
	}
	if of.object != nil && of.typ.sym != nil {
		return placed(of.object.Index(int64(index.bits)))
	}
	if of.typ.class != pointer {
		return Value{}, fmt.Errorf("a %s has no elements", of.Type())
	}
	at, err := of.scalar()
	if err != nil {
		return Value{}, err
	}
	at.bits += index.bits * uint64(at.typ.elem().width())
	return e.deref(at)
}

// key evaluates the key of a map.
func (e *evaluator) key(n node) (values.Key, error) {
	v, err := n.eval(e)
	if err != nil {
		return values.Key{}, err
	}
	if v.isText() {
		text, err := e.readText(v, v)
		return values.TextKey(text), err
	}
	if v, err = v.scalar(); err != nil {
		return values.Key{}, err
	}
	switch {
	case v.typ.class == boolean:
		return values.BoolKey(v.bits != 0), nil
	case v.typ.isWhole(), v.typ.class == pointer:
		return values.WholeKey(v.bits), nil
	}
	return values.Key{}, fmt.Errorf("a %s is no key; strings, whole numbers, bools and pointers are", v.Type())
}

// whole evaluates an operand that must be an integer.
func (e *evaluator) whole(n node) (Value, error) {
	v, err := n.eval(e)
	if err == nil {
		v, err = v.scalar()
	}
	if err == nil && !v.typ.isWhole() {
		err = fmt.Errorf("a %s is no whole number", v.Type())
	}
	return v, err
}

// deref follows a pointer.
func (e *evaluator) deref(v Value) (Value, error) {
	if v.object != nil && v.typ.sym != nil {
		return derefPlace(v)
	}
	p, err := v.scalar()
	if err != nil {
		return Value{}, err
	}
	if p.typ.class != pointer {
		return Value{}, fmt.Errorf("a %s is no pointer; a cast such as (long *)%s makes it one", p.Type(), p.formatNumber())
	}
	return e.objectAt(p.typ.elem(), p.bits)
}

// derefPlace follows a pointer of the program: a plain one, an array as one to
// its first element, a reference to one, or a smart pointer.
func derefPlace(v Value) (Value, error) {
	v, err := v.referred()
	if err != nil {
		return Value{}, err
	}
	if to, ok, err := v.object.Pointee(); ok {
		return placed(to, err)
	}
	if v.typ.sym.Strip().Kind == types.KindArray {
		return placed(v.object.Index(0))
	}
	return placed(v.object.Deref())
}

// basicKinds maps classes to the kinds by which memory is read.
var basicKinds = map[class]types.Kind{
	boolean: types.KindBool, signed: types.KindInt, unsigned: types.KindUint, floating: types.KindFloat, pointer: types.KindUint,
}

// objectAt returns the place of a type at an address.
func (e *evaluator) objectAt(t *typ, addr uint64) (Value, error) {
	if t != nil && t.sym != nil {
		return place(e.scope.At(t.sym, addr)), nil
	}
	if t == nil || t.class == aggregate {
		return Value{}, fmt.Errorf("a pointer to %s cannot be followed; a cast says what it points to", t)
	}
	o := e.scope.At(&types.Type{Kind: basicKinds[t.class], Size: t.size}, addr)
	return Value{typ: t, object: &o}, nil
}

func (n *castNode) eval(e *evaluator) (Value, error) {
	to, err := e.findType(n.to)
	if err != nil {
		return Value{}, err
	}
	if call, ok := n.of.(*callNode); ok {
		return call.evalAs(e, to)
	}
	of, err := n.of.eval(e)
	if err != nil {
		return Value{}, err
	}
	return of.cast(e, to)
}

// cast converts a value to a type.
func (v Value) cast(e *evaluator, to *typ) (Value, error) {
	if at, ok := v.untyped(); ok {
		return e.objectAt(to, at)
	}
	if to.class == aggregate {
		return Value{}, fmt.Errorf("nothing can be cast to %s, only to a pointer to it", to)
	}
	n, err := v.scalar()
	if err != nil {
		return Value{}, err
	}
	return n.convert(to), nil
}

// findType resolves a type as it was written.
func (e *evaluator) findType(name typeName) (*typ, error) {
	t, ok := basic(name.name, e.lang)
	if !ok || name.tagged {
		sym, err := e.scope.Type(e.ctx, name.name)
		switch {
		case errors.Is(err, symbols.ErrNotFound):
			return nil, &NameError{"type " + name.name}
		case err != nil:
			return nil, fmt.Errorf("type %s: %w", name.name, err)
		}
		t = typeOf(sym)
	} else if t.size == 0 {
		t = nil // void
	}
	for range name.pointers {
		t = pointerTo(t)
	}
	if t == nil {
		return &typ{name: "void"}, nil
	}
	return t, nil
}
