package types

import (
	"cmp"
	"debug/dwarf"
	"math"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// A Kind classifies types.
type Kind uint8

// Kinds of types.
const (
	KindVoid Kind = iota
	KindBool
	KindInt
	KindUint
	KindChar // a character: C's char types and those of Unicode code points
	KindFloat
	KindComplex
	KindPointer
	KindReference
	KindRvalueReference
	KindStruct
	KindClass
	KindUnion
	KindEnum
	KindArray
	KindFunc
	KindTypedef
	KindConst
	KindVolatile
	KindRestrict
	KindAtomic
	KindMemberPointer
	KindOther
)

// A Type is a type of the program. Types that it refers to are read when they
// are needed, so that types may refer to themselves.
type Type struct {
	Kind Kind
	Size int64 // bytes; 0 when not known
	Lang lang.Lang

	align int64 // as declared; 0 if it is not

	Set  *Set
	off  dwarf.Offset
	name string // qualified; empty when the type has none
	unicode,
	signed bool
	elem       dwarf.Offset // of the type for Elem
	hasElem    bool
	made       *Type        // the type for Elem of an array that ArrayOf made
	owner      dwarf.Offset // member pointers: the class
	GoKind     uint8
	goKey      dwarf.Offset
	goElem     dwarf.Offset
	dims       []int64 // arrays: number of elements, -1 when not known
	bounds     []any   // see ComputedBounds
	Stride     int64
	signature  uint64 // declared here, described in a type unit
	scoped     bool   // enumeration class
	Incomplete bool   // only declared
	vector     bool   // an array that is a vector of the processor (DW_AT_GNU_vector)
	convention int64  // how it is passed to functions (DW_AT_calling_convention), 0 if that is not said

	once    sync.Once // guards the fields that follow
	fields  []Field
	enums   []Enumerator
	params  []dwarf.Offset // of templates; of functions
	variant *VariantPart
	special bool // a class that declares a constructor or destructor
}

// A Field is a member of a struct, class or union.
type Field struct {
	Name     string
	Offset   int64 // bytes from the start of the object
	Base     bool  // a base class
	Virtual  bool  // a virtual base class: where it is depends on the object
	Static   bool
	Hidden   bool // made by the compiler
	BitSize  int64
	BitStart int64 // from the start of the object, in bits; for bit-fields

	typ  dwarf.Offset
	set  *Set
	made *Type  // the type of a field that NewField made
	Expr []byte // where a virtual base is
}

// NewField returns a member at the start of an object.
func NewField(name string, t *Type) Field { return Field{Name: name, made: t} }

// Type returns the field's type.
func (f *Field) Type() *Type {
	if f.made != nil {
		return f.made
	}
	return f.set.At(f.typ)
}

// An Enumerator is a named value of an enumeration.
type Enumerator struct {
	Name  string
	Value int64
}

// A VariantPart holds the variants of a Rust enum.
type VariantPart struct {
	Discriminant    Field // the discriminant; its typ is 0 when there is only one variant
	HasDiscriminant bool
	Variants        []Variant
}

// A Variant is one variant of a Rust enum.
type Variant struct {
	Value    uint64
	Fallback bool // selected by all values that no other variant has
	Field    Field
}

// Void is the type of what has none or cannot be read.
var Void = &Type{Kind: KindVoid, name: "void"}

// Character is the type of a byte of a text in memory.
var Character = &Type{Kind: KindChar, Size: 1, name: "char", signed: true}

// tagKinds are the kinds that entries have by themselves.
var tagKinds = map[dwarf.Tag]Kind{
	dwarf.TagPointerType: KindPointer, dwarf.TagReferenceType: KindReference,
	dwarf.TagRvalueReferenceType: KindRvalueReference,
	dwarf.TagStructType:          KindStruct, dwarf.TagClassType: KindClass, dwarf.TagUnionType: KindUnion,
	dwarf.TagInterfaceType: KindClass, dwarf.TagEnumerationType: KindEnum, dwarf.TagArrayType: KindArray,
	dwarf.TagSubroutineType: KindFunc, dwarf.TagTypedef: KindTypedef, dwarf.TagTemplateAlias: KindTypedef,
	dwarf.TagConstType: KindConst, dwarf.TagVolatileType: KindVolatile, dwarf.TagRestrictType: KindRestrict,
	dwarf.TagAtomicType: KindAtomic, dwarf.TagPtrToMemberType: KindMemberPointer,
	dwarf.TagUnspecifiedType: KindOther, dwarf.TagSubrangeType: KindTypedef,
}

// encodings are the base types of DWARF 5 table 7.11.
var encodings = map[int64]struct {
	kind    Kind
	signed  bool
	unicode bool
}{
	0x01: {KindUint, false, false}, 0x02: {KindBool, false, false}, 0x03: {KindComplex, false, false},
	0x04: {KindFloat, false, false}, 0x05: {KindInt, true, false}, 0x06: {KindChar, true, false},
	0x07: {KindUint, false, false}, 0x08: {KindChar, false, false},
	0x10: {KindChar, false, true}, 0x11: {KindChar, false, false}, 0x12: {KindChar, false, true},
}

// newTypeLocked reads the entry itself, without its children.
func (s *Set) newTypeLocked(e *dwarf.Entry) *Type {
	d := s.Info
	t := &Type{Set: s, off: e.Offset, Kind: KindOther, Stride: intAttr(e, dwarf.AttrStrideSize) / 8}
	if u := d.UnitAtLocked(e.Offset); u != nil && u.HeadLocked() == nil {
		t.Lang = u.Lang
	}
	t.Size, t.align = intAttr(e, dwarf.AttrByteSize), intAttr(e, dwarf.AttrAlignment)
	t.Incomplete, _ = e.Val(dwarf.AttrDeclaration).(bool)
	t.scoped, _ = e.Val(attrEnumClass).(bool)
	t.vector, _ = e.Val(attrVector).(bool)
	t.convention = intAttr(e, dwarf.AttrCalling)
	t.elem, t.hasElem = d.Ref(e.Val(dwarf.AttrType))
	t.signature, _ = e.Val(dwarf.AttrSignature).(uint64)
	t.owner, _ = d.Ref(e.Val(dwarf.AttrContainingType))
	t.name, _ = d.NameLocked(e)
	if k, ok := tagKinds[e.Tag]; ok {
		t.Kind = k
	}
	if e.Tag == dwarf.TagBaseType {
		enc := encodings[intAttr(e, dwarf.AttrEncoding)]
		t.Kind, t.signed, t.unicode = enc.kind, enc.signed, enc.unicode
		t.name = cmp.Or(dwarfread.BaseTypeNames[t.name], t.name)
		if t.name == "wchar_t" { // which compilers call a number
			t.Kind = KindChar
		}
	}
	t.goLocked(e)
	t.sizeLocked()
	return t
}

// goLocked reads the attributes of Go's compiler.
func (t *Type) goLocked(e *dwarf.Entry) {
	if t.Lang != lang.Go {
		return
	}
	t.GoKind = uint8(intAttr(e, dwarfread.AttrGoKind))
	t.goKey, _ = e.Val(dwarfread.AttrGoKey).(dwarf.Offset)
	t.goElem, _ = e.Val(dwarfread.AttrGoElem).(dwarf.Offset)
}

// sizeLocked sets the size of pointers when the compiler omits it.
func (t *Type) sizeLocked() {
	switch t.Kind {
	case KindPointer, KindReference, KindRvalueReference:
		if t.Size == 0 {
			t.Size = 8
		}
	}
	if t.Kind == KindMemberPointer && t.Size == 0 {
		t.Size = 8
		if e := t.Set.Info.EntryLocked(t.elem); e != nil && e.Tag == dwarf.TagSubroutineType {
			t.Size = 16
		}
	}
	if t.Size < 0 || t.Size > math.MaxInt32*8 {
		t.Size = 0
	}
}

func intAttr(e *dwarf.Entry, a dwarf.Attr) int64 {
	switch v := e.Val(a).(type) {
	case int64:
		return v
	case uint64:
		return int64(v)
	}
	return 0
}

// Elem returns the type that a type points to, consists of, renames or
// qualifies; for functions the result. It is Void when there is none.
func (t *Type) Elem() *Type {
	if t.made != nil {
		return t.made
	}
	if !t.hasElem {
		return Void
	}
	return t.Set.At(t.elem)
}

// MaxRenames bounds chains of typedefs and qualifiers.
const MaxRenames = 64

// Strip returns the type without typedefs and qualifiers. A type that is only
// declared is replaced by its definition, where one is known.
func (t *Type) Strip() *Type {
	for range MaxRenames {
		switch t.Kind {
		case KindTypedef, KindConst, KindVolatile, KindRestrict, KindAtomic:
			t = t.Elem()
			continue
		}
		return t.resolve()
	}
	return Void
}

// resolve returns the definition of a type that is only declared, or the type
// itself.
func (t *Type) resolve() *Type {
	switch {
	case t.signature != 0:
		if off, ok := t.Set.Info.Ref(t.signature); ok {
			return t.Set.At(off)
		}
	case t.Incomplete && t.name != "":
		if full := t.Set.Named(t.name); full != nil {
			return full
		}
	}
	return t
}

// ByteSize returns the size of an object, including those of arrays and
// renamed types, whose Size may be 0.
func (t *Type) ByteSize() int64 {
	s := t.Strip()
	if s.Size > 0 || s.Kind != KindArray {
		return s.Size
	}
	n := s.Elem().ByteSize()
	if n < 0 || n > math.MaxInt32 {
		return 0
	}
	for _, d := range s.Dimensions() {
		if d < 0 || (n > 0 && d > math.MaxInt32/n) {
			return 0
		}
		n *= d
	}
	return n
}

// PassedByValue reports whether functions take and return the type by value. In C++ they
// pass a class by reference that has a destructor or constructor for copies of its own
// (Itanium C++ ABI, 3.1.2.3); where the compiler does not say, each class with a
// constructor or destructor is taken for one.
func (t *Type) PassedByValue() bool { return t.passedByValue(maxNesting) }

// maxNesting bounds how deep members are searched.
const maxNesting = 16

func (t *Type) passedByValue(depth int) bool {
	const byReference, byValue = 4, 5 // DW_CC_pass_by_reference, DW_CC_pass_by_value
	s := t.Strip()
	switch s.Kind {
	case KindArray:
		return depth > 0 && s.Elem().passedByValue(depth-1)
	case KindStruct, KindClass, KindUnion:
	default:
		return true
	}
	switch {
	case s.Lang == lang.C, s.convention == byValue:
		return true
	case s.Lang != lang.CPlusPlus, s.convention == byReference, depth == 0:
		return false
	}
	s.load()
	for i := range s.fields {
		f := &s.fields[i]
		if !f.Static && (f.Virtual || strings.HasPrefix(f.Name, "_vptr") || !f.Type().passedByValue(depth-1)) {
			return false
		}
	}
	return !s.special
}

// Vector reports whether the type is a vector of the processor, such as __m128.
func (t *Type) Vector() bool { return t.Strip().vector }

// Dimensions returns the lengths of an array, outermost first.
func (t *Type) Dimensions() []int64 { t.load(); return t.dims }

// Fields returns the members of a struct, class or union, with base classes,
// in their order.
func (t *Type) Fields() []Field { s := t.Strip(); s.load(); return s.fields }

// Enumerators returns the names of an enumeration's values.
func (t *Type) Enumerators() []Enumerator { s := t.Strip(); s.load(); return s.enums }

// TemplateArg returns the nth type argument of a template, nil when there is
// none.
func (t *Type) TemplateArg(n int) *Type {
	s := t.Strip()
	s.load()
	if n >= len(s.params) || s.params[n] == 0 {
		return nil
	}
	return t.Set.At(s.params[n])
}

// Parameters returns the types of a function's parameters.
func (t *Type) Parameters() []*Type {
	t.load()
	out := make([]*Type, len(t.params))
	for i, p := range t.params {
		out[i] = t.Set.At(p)
	}
	return out
}

// Row returns the type of an array's rows, given the remaining dimensions.
func (t *Type) Row(dims []int64) *Type {
	row := &Type{Kind: KindArray, Lang: t.Lang, Set: t.Set, off: t.off, elem: t.elem, hasElem: t.hasElem, Stride: t.Stride, dims: dims}
	row.once.Do(func() {})
	return row
}

// ArrayOf returns the type of an array of n elements.
func ArrayOf(elem *Type, n int64) *Type {
	array := &Type{Kind: KindArray, Lang: elem.Lang, Set: elem.Set, made: elem, dims: []int64{n}}
	array.once.Do(func() {})
	return array
}

// NewUnion returns a union of a name, a size and members that no program has.
func NewUnion(name string, size int64, fields ...Field) *Type {
	return &Type{Kind: KindUnion, Size: size, name: name, fields: fields}
}

// NewNumber returns a type of numbers that no program has: whole ones with or without a
// sign, or floating-point ones.
func NewNumber(name string, kind Kind, size int64) *Type {
	return &Type{Kind: kind, Size: size, name: name, signed: kind == KindInt}
}

// Unit returns the unit with the type's entry.
func (t *Type) Unit() *dwarfread.Unit { return t.Set.Info.UnitAt(t.off) }

// MapTypes returns the types of the keys and elements of a Go map.
func (t *Type) MapTypes() (key, elem *Type) {
	return t.Set.At(t.goKey), t.Set.At(t.goElem)
}

// VariantPart returns the variants of a Rust enum, nil for other types.
func (t *Type) VariantPart() *VariantPart {
	t.load()
	return t.variant
}

// ComputedBounds returns for each dimension of an array the expression or
// variable entry that computes its highest index, nil where it is constant.
func (t *Type) ComputedBounds() []any {
	t.load()
	return t.bounds
}
