package dwarfread

import "debug/dwarf"

// A Variable is an entry that may have a value.
type Variable struct {
	Unit     *Unit
	Entry    *dwarf.Entry
	Name     string
	Argument bool
	Type     dwarf.Offset
	HasType  bool
	Line     int
}

// variableLocked reads what a variable inherits from the entry it was made from.
func (u *Unit) variableLocked(e *dwarf.Entry) *Variable {
	v := &Variable{Unit: u, Entry: e, Argument: e.Tag == dwarf.TagFormalParameter}
	v.InheritLocked()
	return v
}

func (v *Variable) InheritLocked() {
	d := v.Unit.Info
	if v.Name == "" {
		name, _ := d.AttrLocked(v.Entry, dwarf.AttrName)
		v.Name, _ = name.(string)
	}
	typ, _ := d.AttrLocked(v.Entry, dwarf.AttrType)
	v.Type, v.HasType = d.Ref(typ)
	line, _ := d.AttrLocked(v.Entry, dwarf.AttrDeclLine)
	if n, ok := line.(int64); ok {
		v.Line = int(n)
	}
}

// VariableAt returns the variable that an entry describes, nil when there is no
// entry.
func (d *Info) VariableAt(off dwarf.Offset) (v *Variable, err error) {
	err = d.Do(func() error {
		e, u := d.EntryLocked(off), d.UnitAtLocked(off)
		if e != nil && u != nil {
			v = u.variableLocked(e)
		}
		return nil
	})
	return v, err
}
