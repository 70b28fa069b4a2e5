package symbols

import "debug/dwarf"

// A variable is an entry that may have a value.
type variable struct {
	unit  *unit
	entry *dwarf.Entry
	name  string
	arg   bool
	typ   dwarf.Offset
	typed bool
	line  int
}

// variableLocked reads what a variable inherits from the entry it was made from.
func (u *unit) variableLocked(e *dwarf.Entry) *variable {
	v := &variable{unit: u, entry: e, arg: e.Tag == dwarf.TagFormalParameter}
	v.settleLocked()
	return v
}

func (v *variable) settleLocked() {
	d := v.unit.d
	if v.name == "" {
		name, _ := d.attrLocked(v.entry, dwarf.AttrName)
		v.name, _ = name.(string)
	}
	typ, _ := d.attrLocked(v.entry, dwarf.AttrType)
	v.typ, v.typed = d.ref(typ)
	line, _ := d.attrLocked(v.entry, dwarf.AttrDeclLine)
	if n, ok := line.(int64); ok {
		v.line = int(n)
	}
}
