package types

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"
)

// maxMembers bounds how many members a type may have.
const maxMembers = 1 << 16

const (
	attrEnumClass  dwarf.Attr = 0x6d
	attrVector     dwarf.Attr = 0x2107 // DW_AT_GNU_vector
	attrUpperBound            = dwarf.AttrUpperBound
)

// load reads the children of a type's entry, once.
func (t *Type) load() {
	if t.Set == nil {
		return
	}
	t.once.Do(func() {
		// Entries before a damaged one are kept.
		_ = t.Set.Info.Do(t.loadLocked)
	})
}

func (t *Type) loadLocked() error {
	r := t.Set.Info.ReaderLocked(t.off)
	e, err := r.Next()
	if err != nil || e == nil || !e.Children {
		return err
	}
	for range maxMembers {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return err
		}
		if e.Tag == dwarf.TagVariantPart {
			if err := t.variantLocked(e, r); err != nil {
				return err
			}
			continue
		}
		t.childLocked(e)
		r.SkipChildren()
	}
	return nil
}

func (t *Type) childLocked(e *dwarf.Entry) {
	switch e.Tag {
	case dwarf.TagMember, dwarf.TagInheritance:
		t.fields = append(t.fields, t.fieldLocked(e))
	case dwarf.TagVariable: // a static member in DWARF 5
		if ext, _ := e.Val(dwarf.AttrExternal).(bool); ext {
			f := t.fieldLocked(e)
			f.Static = true
			t.fields = append(t.fields, f)
		}
	case dwarf.TagSubprogram:
		name, _ := e.Val(dwarf.AttrName).(string)
		made, _ := e.Val(dwarf.AttrArtificial).(bool)
		own := t.name[strings.LastIndex(t.name, ":")+1:]
		t.special = t.special || !made && (name == own || strings.HasPrefix(name, "~"))
	case dwarf.TagEnumerator:
		name, _ := e.Val(dwarf.AttrName).(string)
		t.enums = append(t.enums, Enumerator{name, intAttr(e, dwarf.AttrConstValue)})
	case dwarf.TagTemplateTypeParameter:
		off, _ := t.Set.Info.Ref(e.Val(dwarf.AttrType))
		t.params = append(t.params, off)
	case dwarf.TagFormalParameter:
		if t.Kind == KindFunc {
			off, _ := t.Set.Info.Ref(e.Val(dwarf.AttrType))
			t.params = append(t.params, off)
		}
	case dwarf.TagSubrangeType, dwarf.TagEnumerationType:
		if t.Kind == KindArray {
			n := length(e)
			var bound any
			if n < 0 {
				bound = e.Val(attrUpperBound)
			}
			t.dims, t.bounds = append(t.dims, n), append(t.bounds, bound)
		}
	}
}

// length returns the number of elements of a subrange, -1 when it is computed
// or unknown.
func length(e *dwarf.Entry) int64 {
	if n, ok := e.Val(dwarf.AttrCount).(int64); ok {
		return n
	}
	if n, ok := e.Val(attrUpperBound).(int64); ok {
		if n == -1 || n == 0xffffffff { // int a[0], as some compilers write it
			return 0
		}
		return n + 1 - intAttr(e, dwarf.AttrLowerBound)
	}
	return -1
}

// fieldLocked reads a member or base.
func (t *Type) fieldLocked(e *dwarf.Entry) Field {
	f := Field{set: t.Set, Base: e.Tag == dwarf.TagInheritance}
	f.Name, _ = e.Val(dwarf.AttrName).(string)
	f.typ, _ = t.Set.Info.Ref(e.Val(dwarf.AttrType))
	f.Hidden, _ = e.Val(dwarf.AttrArtificial).(bool)
	ext, _ := e.Val(dwarf.AttrExternal).(bool)
	f.Static = ext && e.Tag == dwarf.TagMember
	switch v := e.Val(dwarf.AttrDataMemberLoc).(type) {
	case int64:
		f.Offset = v
	case []byte:
		f.Offset, f.Expr = constantOffset(v)
		f.Virtual = f.Expr != nil
	}
	f.BitSize = intAttr(e, dwarf.AttrBitSize)
	switch {
	case f.BitSize == 0:
	case e.Val(dwarf.AttrDataBitOffset) != nil:
		f.BitStart = intAttr(e, dwarf.AttrDataBitOffset)
	case e.Val(dwarf.AttrBitOffset) != nil: // counted from the high end of the storage unit
		unit := intAttr(e, dwarf.AttrByteSize)
		if unit == 0 {
			unit = t.bitUnitLocked(f.typ)
		}
		f.BitStart = f.Offset*8 + unit*8 - intAttr(e, dwarf.AttrBitOffset) - f.BitSize
	default:
		f.BitStart = f.Offset * 8
	}
	return f
}

// bitUnitLocked returns the size of a bit-field's declared type.
func (t *Type) bitUnitLocked(off dwarf.Offset) int64 {
	for range MaxRenames {
		e := t.Set.Info.EntryLocked(off)
		if e == nil {
			break
		}
		if n := intAttr(e, dwarf.AttrByteSize); n > 0 {
			return n
		}
		off, _ = t.Set.Info.Ref(e.Val(dwarf.AttrType))
	}
	return 4
}

// constantOffset evaluates DW_OP_plus_uconst, which old compilers write for an
// offset. Any other expression is returned.
func constantOffset(expr []byte) (int64, []byte) {
	if len(expr) > 1 && expr[0] == 0x23 {
		if v, n := binary.Uvarint(expr[1:]); n == len(expr)-1 {
			return int64(v), nil
		}
	}
	return 0, expr
}

// variantLocked reads the variants of a Rust enum, which are nested two levels
// deep.
func (t *Type) variantLocked(e *dwarf.Entry, r *dwarf.Reader) error {
	t.variant = &VariantPart{}
	discr, _ := e.Val(dwarf.AttrDiscr).(dwarf.Offset)
	if !e.Children {
		return nil
	}
	for range maxMembers {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return err
		}
		switch {
		case e.Tag == dwarf.TagMember && e.Offset == discr:
			t.variant.Discriminant, t.variant.HasDiscriminant = t.fieldLocked(e), true
		case e.Tag == dwarf.TagVariant && e.Children:
			if err := t.caseLocked(e, r); err != nil {
				return err
			}
			continue
		}
		r.SkipChildren()
	}
	return nil
}

func (t *Type) caseLocked(e *dwarf.Entry, r *dwarf.Reader) error {
	c := Variant{Fallback: true}
	switch v := e.Val(dwarf.AttrDiscrValue).(type) {
	case int64:
		c.Value, c.Fallback = uint64(v), false
	case []byte: // 128 bits: the low half tells them apart in practice
		c.Fallback = len(v) < 8
		if len(v) >= 8 {
			c.Value = binary.LittleEndian.Uint64(v)
		}
	}
	for range maxMembers {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			t.variant.Variants = append(t.variant.Variants, c)
			return err
		}
		if e.Tag == dwarf.TagMember {
			c.Field = t.fieldLocked(e)
		}
		r.SkipChildren()
	}
	return nil
}
