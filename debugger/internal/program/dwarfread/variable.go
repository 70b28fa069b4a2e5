package dwarfread

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// variableLocked reads a variable with the attributes that it inherits from
// its abstract origin.
func (u *Unit) variableLocked(e *dwarf.Entry) *Variable {
	v := &Variable{Unit: u, Entry: e, Argument: e.Tag == dwarf.TagFormalParameter}
	v.InheritLocked()
	return v
}

// InheritLocked sets the name, type and line, which an abstract origin may give.
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

// ExternalLocked reports whether other units can name the variable.
func (v *Variable) ExternalLocked() bool {
	external, _ := v.Unit.Info.AttrLocked(v.Entry, dwarf.AttrExternal)
	return external == true || v.Unit.Lang == lang.Go
}

// tableSuffix ends the names of Rust's tables of methods (vtables).
const tableSuffix = "::{vtable}"

// opAddr is DW_OP_addr, which alone makes up the location of such a table, and of a
// global variable.
const opAddr = 0x03

// AddressLocked returns the address in the file of a variable that is always there;
// false if it has none, or one for each thread.
func (v *Variable) AddressLocked() (uint64, bool) {
	loc, _ := v.Entry.Val(dwarf.AttrLocation).([]byte)
	if len(loc) != 9 || loc[0] != opAddr {
		return 0, false
	}
	return binary.LittleEndian.Uint64(loc[1:]), true
}

// indexTable enters a Rust vtable in the index.
func (d *Info) indexTable(name string, e *dwarf.Entry) {
	loc, _ := e.Val(dwarf.AttrLocation).([]byte)
	if !strings.HasSuffix(name, tableSuffix) || len(loc) != 9 || loc[0] != opAddr {
		return
	}
	if off, ok := d.Ref(e.Val(dwarf.AttrType)); ok {
		d.tables[binary.LittleEndian.Uint64(loc[1:])] = off
	}
}

// TableType returns the offset of the entry of the type that a Rust vtable,
// given by its address, belongs to. The entry of the table's own type refers
// to it.
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
