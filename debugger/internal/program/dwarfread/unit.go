package dwarfread

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// Types of units with a longer header than the common one (DWARF 5 section
// 7.5.1).
const (
	unitCompile   = 1
	unitType      = 2
	unitSkeleton  = 4
	unitSplit     = 5
	unitSplitType = 6
)

// readUnits reads the headers of all units (DWARF 5 section 7.5.1.1).
func (d *Info) readUnits(info []byte) ([]*Unit, error) {
	var out []*Unit
	for at := 0; at+12 <= len(info); {
		u := &Unit{Info: d, Offset: dwarf.Offset(at)}
		h := info[at:]
		size, n, word := uint64(binary.LittleEndian.Uint32(h)), 4, 4
		if size == 0xffffffff {
			size, n, word, u.is64 = binary.LittleEndian.Uint64(h[4:]), 12, 8, true
		}
		if size > uint64(len(h)-n) || size < 8 {
			return out, errors.New(".debug_info ends early")
		}
		u.end = dwarf.Offset(at + n + int(size))
		body := h[n : n+int(size)]
		u.version = int(binary.LittleEndian.Uint16(body))
		if skip, ok := d.header(u, body, word); ok {
			u.die = u.Offset + dwarf.Offset(n+skip)
			out = append(out, u)
		}
		at = int(u.end)
	}
	return out, nil
}

// header returns the length of a unit's header after its length field, and false
// if the version is unknown.
func (d *Info) header(u *Unit, body []byte, word int) (int, bool) {
	switch {
	case u.version < 2 || u.version > 5:
		return 0, false
	case u.version < 5 && int(u.Offset) >= d.typesAt:
		return 2 + word + 1 + 8 + word, 2+word+1+8+word < len(body)
	case u.version < 5:
		return 2 + word + 1, true
	}
	skip := 4 + word
	switch body[2] {
	case unitSkeleton, unitSplit:
		if len(body) < skip+8 {
			return 0, false
		}
		u.skeletal, u.id = body[2] == unitSkeleton, binary.LittleEndian.Uint64(body[skip:])
		skip += 8
	case unitType, unitSplitType:
		if len(body) < skip+8+word {
			return 0, false
		}
		sig := binary.LittleEndian.Uint64(body[skip:])
		var typ [8]byte
		copy(typ[:], body[skip+8:skip+8+word])
		d.sigs[sig] = u.Offset + dwarf.Offset(binary.LittleEndian.Uint64(typ[:]))
		skip += 8 + word
	}
	return skip, skip < len(body)
}

// HeadLocked reads the unit's first entry.
func (u *Unit) HeadLocked() error {
	if u.headed {
		return nil
	}
	u.headed = true
	return elffile.CatchPanic(func() error {
		r := u.Info.data.Reader()
		r.Seek(u.die)
		e, err := r.Next()
		if err != nil || e == nil {
			return errors.Join(err, errors.New("unit has no entry"))
		}
		u.entry = e
		u.name, _ = e.Val(dwarf.AttrName).(string)
		u.dir, _ = e.Val(dwarf.AttrCompDir).(string)
		u.producer, _ = e.Val(dwarf.AttrProducer).(string)
		u.low, _ = e.Val(dwarf.AttrLowpc).(uint64)
		u.addrBase, _ = e.Val(dwarf.AttrAddrBase).(int64)
		u.locBase, _ = e.Val(dwarf.AttrLoclistsBase).(int64)
		code, _ := e.Val(dwarf.AttrLanguage).(int64)
		u.Lang = lang.FromDWARF(code)
		if u.split != nil {
			u.headSplit()
		}
		return nil
	})
}

// load reads all entries of the unit, up to the first damaged one.
func (u *Unit) load() {
	if u.loaded {
		return
	}
	u.loaded = true
	u.scopes = map[dwarf.Offset]string{}
	if u.HeadLocked() != nil || u.entry == nil || !u.entry.Children || u.Info.full != nil {
		return
	}
	w := walker{u: u}
	if err := elffile.CatchPanic(w.walk); err != nil {
		u.Info.log.Debug("unit is damaged", "unit", u.name, "err", err)
	}
	for _, f := range u.functions {
		u.index(f)
	}
	slices.SortStableFunc(u.functions, func(a, b *Subprogram) int {
		return cmp.Compare(a.Start(), b.Start())
	})
}

// index adds a function to the index by name.
func (u *Unit) index(f *Subprogram) {
	f.Name, f.LinkageName = u.Info.NameLocked(f.Entry)
	if u.Info.take(rangeCost+2*len(f.Name)+len(f.LinkageName)) != nil {
		return
	}
	u.Info.names[f.Name] = append(u.Info.names[f.Name], f)
	if base := BaseName(f.Name); base != f.Name {
		u.Info.names[base] = append(u.Info.names[base], f)
	}
}

// BaseName returns a name without its qualifiers.
func BaseName(name string) string {
	depth := 0
	for i := len(name) - 1; i > 0; i-- {
		switch name[i] {
		case '>', ')':
			depth++
		case '<', '(':
			depth--
		case ':':
			if depth == 0 && name[i-1] == ':' {
				return name[i+1:]
			}
		}
	}
	return name
}

// path returns the absolute path of a file in the line table.
func (u *Unit) path(name string) string {
	if name == "" || path.IsAbs(name) || strings.HasPrefix(name, "<") {
		return name
	}
	return path.Join(u.dir, name)
}
