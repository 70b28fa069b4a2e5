package dwarfread

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"
)

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

// tableSuffix ends the names of Rust's tables of methods.
const tableSuffix = "::{vtable}"

// opAddr is DW_OP_addr, which all that such a table's location consists of.
const opAddr = 0x03

// noteTable enters a table of methods in the index.
func (d *Info) noteTable(name string, e *dwarf.Entry) {
	loc, _ := e.Val(dwarf.AttrLocation).([]byte)
	if !strings.HasSuffix(name, tableSuffix) || len(loc) != 9 || loc[0] != opAddr {
		return
	}
	if off, ok := d.Ref(e.Val(dwarf.AttrType)); ok {
		d.tables[binary.LittleEndian.Uint64(loc[1:])] = off
	}
}

// TableType returns where the type is described whose methods a table is of, by
// the table's address: the type of the table says which.
func (d *Info) TableType(table uint64) (dwarf.Offset, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	off, ok := d.tables[table]
	if !ok {
		return 0, false
	}
	e := d.EntryLocked(off)
	if e == nil {
		return 0, false
	}
	return d.Ref(e.Val(dwarf.AttrContainingType))
}
