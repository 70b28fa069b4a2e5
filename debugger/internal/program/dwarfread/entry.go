package dwarfread

import (
	"cmp"
	"debug/dwarf"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// maxOrigins bounds chains of abstract origins and specifications.
const maxOrigins = 8

// AttrLocked returns an attribute of an entry, or of its abstract origin or
// specification, and the entry that has it.
func (d *Info) AttrLocked(e *dwarf.Entry, a dwarf.Attr) (any, *dwarf.Entry) {
	for range maxOrigins {
		if v := e.Val(a); v != nil {
			return v, e
		}
		if e = d.originLocked(e); e == nil {
			break
		}
	}
	return nil, nil
}

// originLocked returns the abstract origin or specification of an entry, nil
// when it has none.
func (d *Info) originLocked(e *dwarf.Entry) *dwarf.Entry {
	off, ok := d.Ref(e.Val(dwarf.AttrAbstractOrigin))
	if !ok {
		off, ok = d.Ref(e.Val(dwarf.AttrSpecification))
	}
	if !ok {
		return nil
	}
	return d.EntryLocked(off)
}

// EntryLocked reads the entry at an offset, nil when there is none.
func (d *Info) EntryLocked(off dwarf.Offset) *dwarf.Entry {
	u := d.UnitAtLocked(off)
	if u == nil || off < u.die {
		return nil
	}
	r := d.data.Reader()
	r.Seek(off)
	e, err := r.Next()
	if err != nil || e == nil || e.Tag == 0 {
		return nil
	}
	return e
}

// SignedLocked returns the type that an entry stands for by its signature (DWARF 5
// section 7.32), or the entry itself.
func (d *Info) SignedLocked(e *dwarf.Entry) *dwarf.Entry {
	off, ok := d.Ref(e.Val(dwarf.AttrSignature))
	if !ok {
		return e
	}
	return cmp.Or(d.EntryLocked(off), e)
}

// NameLocked returns the qualified name of an entry and its linker name.
func (d *Info) NameLocked(e *dwarf.Entry) (name, linkage string) {
	v, at := d.AttrLocked(e, dwarf.AttrName)
	l, _ := d.AttrLocked(e, dwarf.AttrLinkageName)
	linkage, _ = l.(string)
	name, _ = v.(string)
	if name == "" {
		return elffile.Demangle(linkage), linkage
	}
	return d.scopeLocked(at) + name, linkage
}

// scopeLocked returns the qualifier of an entry's name, "app::", from where
// the entry stands or was declared.
func (d *Info) scopeLocked(e *dwarf.Entry) string {
	for range maxOrigins {
		u := d.UnitAtLocked(e.Offset)
		if u == nil {
			return ""
		}
		u.load()
		if s, ok := u.scopes[e.Offset]; ok {
			return s
		}
		if e = d.originLocked(e); e == nil {
			break
		}
	}
	return ""
}

// BaseTypeNames are the usual names of types that compilers of C and C++ spell
// out.
var BaseTypeNames = map[string]string{
	"long int": "long", "long unsigned int": "unsigned long", "short int": "short",
	"short unsigned int": "unsigned short", "long long int": "long long",
	"long long unsigned int": "unsigned long long",
}
