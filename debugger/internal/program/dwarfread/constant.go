package dwarfread

import (
	"debug/dwarf"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// attrEnumClass marks enumerations whose enumerators are only known by its name, as
// `enum class` of C++ and all of Rust.
const attrEnumClass dwarf.Attr = 0x6d

// constantCost is the memory of a constant, with the index that has it.
const constantCost = 96

// A constant is an enumerator, or a constant of a package of Go.
type constant struct {
	unit  *Unit
	typ   dwarf.Offset
	value int64
}

// An enumeration is the one whose enumerators are walked.
type enumeration struct {
	typ    dwarf.Offset
	scoped bool
}

func (w *walker) enumeration(e *dwarf.Entry) {
	scoped, _ := e.Val(attrEnumClass).(bool)
	w.enum = enumeration{e.Offset, scoped || w.u.Lang == lang.Rust}
}

// constant records an enumerator, under the name of its enumeration and, unless that is a
// class, beside it; or a constant of Go.
func (w *walker) constant(e *dwarf.Entry) {
	name, _ := e.Val(dwarf.AttrName).(string)
	value, ok := e.Val(dwarf.AttrConstValue).(int64)
	depth := len(w.prefix) - 1
	switch {
	case name == "" || !ok:
	case e.Tag == dwarf.TagConstant:
		if typ, ok := w.u.Info.Ref(e.Val(dwarf.AttrType)); ok {
			w.addConstant(w.prefix[depth]+name, constant{w.u, typ, value})
		}
	case depth > 0:
		c := constant{w.u, w.enum.typ, value}
		w.addConstant(w.prefix[depth]+name, c)
		if !w.enum.scoped && w.prefix[depth-1] != w.prefix[depth] {
			w.addConstant(w.prefix[depth-1]+name, c)
		}
	}
}

// addConstant adds a constant to the index. The units that include a header have the
// same ones: the first is kept, and those of other units with another value. Units are
// walked one after another, so that one of this unit is the last.
func (w *walker) addConstant(name string, c constant) {
	name = strings.ReplaceAll(name, "(anonymous namespace)::", "")
	all := w.u.Info.constants[name]
	if n := len(all); n > 0 && (all[0].value == c.value || all[n-1].unit == c.unit) {
		return
	}
	if len(name) > maxName {
		w.err = errLongName
		return
	}
	if w.err = w.u.Info.take(constantCost + len(name)); w.err == nil {
		w.u.Info.constants[name] = append(all, c)
	}
}

// ConstantLocked returns the enumerator, or constant of Go, with a qualified name, as a
// variable that has no place. Of several it is that of the unit, else the first.
func (d *Info) ConstantLocked(u *Unit, name string) *Variable {
	all := d.constants[name]
	if len(all) == 0 {
		return nil
	}
	best := all[0]
	for _, c := range all {
		if c.unit == u {
			best = c
		}
	}
	e := &dwarf.Entry{Tag: dwarf.TagConstant, Field: []dwarf.Field{
		{Attr: dwarf.AttrType, Val: best.typ, Class: dwarf.ClassReference},
		{Attr: dwarf.AttrConstValue, Val: best.value, Class: dwarf.ClassConstant},
	}}
	return &Variable{Unit: best.unit, Entry: e, Name: name}
}
