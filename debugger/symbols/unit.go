package symbols

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"path"
	"slices"
	"strings"
)

// A unit is what one compilation left in .debug_info. Its fields from entry on
// are filled in by headLocked, those from loaded on by load.
type unit struct {
	d       *debugInfo
	offset  dwarf.Offset // of the header
	die     dwarf.Offset // of the first entry
	end     dwarf.Offset
	version int
	is64    bool

	headed   bool
	entry    *dwarf.Entry
	lang     Lang
	name     string
	dir      string
	producer string
	low      uint64
	addrBase int64
	locBase  int64

	loaded    bool
	functions []*function // by start
	globals   []*variable
	scopes    map[dwarf.Offset]string // what a name in this unit is qualified with, "app::"
	optimized bool                    // variables have location lists

	lines *lineTable
}

// Unit types that have more than the common header (DWARF 5 section 7.5.1).
const (
	unitType      = 2
	unitSkeleton  = 4
	unitSplit     = 5
	unitSplitType = 6
)

// readUnits reads the headers of all units (DWARF 5 section 7.5.1.1).
func (d *debugInfo) readUnits(info []byte) ([]*unit, error) {
	var out []*unit
	for at := 0; at+12 <= len(info); {
		u := &unit{d: d, offset: dwarf.Offset(at)}
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
			u.die = u.offset + dwarf.Offset(n+skip)
			out = append(out, u)
		}
		at = int(u.end)
	}
	return out, nil
}

// header returns how long the header of a unit is behind its length; false for
// a version that nobody writes.
func (d *debugInfo) header(u *unit, body []byte, word int) (int, bool) {
	switch {
	case u.version < 2 || u.version > 5:
		return 0, false
	case u.version < 5 && int(u.offset) >= d.typesAt:
		return 2 + word + 1 + 8 + word, 2+word+1+8+word < len(body)
	case u.version < 5:
		return 2 + word + 1, true
	}
	skip := 4 + word
	switch body[2] {
	case unitSkeleton, unitSplit:
		skip += 8
	case unitType, unitSplitType:
		if len(body) < skip+8+word {
			return 0, false
		}
		sig := binary.LittleEndian.Uint64(body[skip:])
		var typ [8]byte
		copy(typ[:], body[skip+8:skip+8+word])
		d.sigs[sig] = u.offset + dwarf.Offset(binary.LittleEndian.Uint64(typ[:]))
		skip += 8 + word
	}
	return skip, skip < len(body)
}

// headLocked reads the unit's first entry.
func (u *unit) headLocked() error {
	if u.headed {
		return nil
	}
	u.headed = true
	return shield(func() error {
		r := u.d.data.Reader()
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
		u.lang = languageOf(code)
		return nil
	})
}

// load reads all entries of the unit. What is damaged ends it; what came before
// is kept.
func (u *unit) load() {
	if u.loaded {
		return
	}
	u.loaded = true
	u.scopes = map[dwarf.Offset]string{}
	if u.headLocked() != nil || u.entry == nil || !u.entry.Children {
		return
	}
	w := walker{u: u}
	if err := shield(w.walk); err != nil {
		u.d.image.cfg.Log.Debug("unit is damaged", "path", u.d.image.Path, "unit", u.name, "err", err)
	}
	for _, f := range u.functions {
		u.settle(f)
	}
	slices.SortStableFunc(u.functions, func(a, b *function) int {
		return compareUint(a.start(), b.start())
	})
}

// settle decides the name of a function and enters it in the index.
func (u *unit) settle(f *function) {
	f.name, f.linkage = u.d.nameLocked(f.entry)
	u.d.names[f.name] = append(u.d.names[f.name], f)
	if base := baseName(f.name); base != f.name {
		u.d.names[base] = append(u.d.names[base], f)
	}
}

// baseName is a name without what it is qualified with.
func baseName(name string) string {
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

// A walker goes through the entries of a unit.
type walker struct {
	u      *unit
	prefix []string // of the names at each depth
	inside []bool   // whether the depth is within a function
}

// maxNesting bounds how deeply entries may lie in one another.
const maxNesting = 512

func (w *walker) walk() error {
	r := w.u.d.data.Reader()
	r.Seek(w.u.die)
	if _, err := r.Next(); err != nil {
		return err
	}
	w.prefix, w.inside = []string{""}, []bool{false}
	for len(w.prefix) > 0 {
		e, err := r.Next()
		if err != nil || e == nil || e.Offset >= w.u.end {
			return err
		}
		if e.Tag == 0 {
			w.prefix, w.inside = w.prefix[:len(w.prefix)-1], w.inside[:len(w.inside)-1]
			continue
		}
		prefix, inside := w.entry(e)
		if !e.Children {
			continue
		}
		if len(w.prefix) > maxNesting {
			return errors.New("entries are nested too deeply")
		}
		w.prefix, w.inside = append(w.prefix, prefix), append(w.inside, inside)
	}
	return nil
}

// entry takes note of an entry and says what its children are qualified with
// and whether they are in a function.
func (w *walker) entry(e *dwarf.Entry) (string, bool) {
	prefix, inside := w.prefix[len(w.prefix)-1], w.inside[len(w.inside)-1]
	switch e.Tag {
	case dwarf.TagNamespace:
		return w.namespace(prefix, e), inside
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagInterfaceType:
		w.scope(e, prefix)
		w.goTypes(e)
		name, _ := e.Val(dwarf.AttrName).(string)
		if name == "" {
			return prefix, inside
		}
		w.name(prefix, e)
		return prefix + name + "::", inside
	case dwarf.TagSubprogram:
		w.scope(e, prefix)
		w.function(e)
		return "", true
	case dwarf.TagVariable:
		if !inside {
			w.scope(e, prefix)
			w.variable(e)
		}
		w.optimized(e)
	case dwarf.TagFormalParameter:
		w.optimized(e)
	default:
		w.name(prefix, e)
		if w.u.lang == Go || e.Tag == dwarf.TagTypedef || e.Tag == dwarf.TagBaseType {
			w.scope(e, prefix)
			w.goTypes(e)
		}
	}
	return prefix, inside
}

// namespace qualifies what is in a namespace, the nameless one too.
func (w *walker) namespace(prefix string, e *dwarf.Entry) string {
	name, ok := e.Val(dwarf.AttrName).(string)
	if !ok {
		return prefix + "(anonymous namespace)::"
	}
	return prefix + name + "::"
}

func (w *walker) scope(e *dwarf.Entry, prefix string) {
	if prefix != "" {
		w.u.scopes[e.Offset] = prefix
	}
}

// name enters a type that is described, and has a name, in the index. People's
// names for numbers count too.
func (w *walker) name(prefix string, e *dwarf.Entry) {
	switch e.Tag {
	case dwarf.TagBaseType, dwarf.TagTypedef, dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagInterfaceType:
	default:
		return
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	if name == "" || e.Val(dwarf.AttrDeclaration) != nil {
		return
	}
	key := prefix + cmp.Or(written[name], name)
	if _, ok := w.u.d.named[key]; !ok || e.Tag != dwarf.TagTypedef { // a struct wins over a typedef of its name
		w.u.d.named[key] = e.Offset
	}
}

// goTypes notes where the run-time descriptor of a Go type is.
func (w *walker) goTypes(e *dwarf.Entry) {
	if w.u.lang != Go {
		return
	}
	if addr, ok := e.Val(attrGoRuntimeType).(uint64); ok && addr != 0 {
		w.u.d.goType[addr] = e.Offset
	}
}

func (w *walker) optimized(e *dwarf.Entry) {
	if f := e.AttrField(dwarf.AttrLocation); f != nil && f.Class != dwarf.ClassExprLoc && f.Class != dwarf.ClassBlock {
		w.u.optimized = true
	}
}

func (w *walker) function(e *dwarf.Entry) {
	if e.Val(dwarf.AttrLowpc) == nil && e.Val(dwarf.AttrRanges) == nil {
		return
	}
	rs, err := w.u.d.data.Ranges(e)
	if err != nil || len(rs) == 0 || rs[0][0] == 0 || rs[0][0] >= rs[0][1] {
		return
	}
	w.u.functions = append(w.u.functions, &function{unit: w.u, entry: e, ranges: rs})
}

func (w *walker) variable(e *dwarf.Entry) {
	if e.Val(dwarf.AttrLocation) == nil && e.Val(dwarf.AttrConstValue) == nil {
		return
	}
	v := &variable{unit: w.u, entry: e}
	v.name, _ = w.u.d.nameLocked(e)
	if v.name == "" {
		return
	}
	w.u.globals = append(w.u.globals, v)
	d := w.u.d
	d.global[v.name] = append(d.global[v.name], v)
	if base := baseName(v.name); base != v.name {
		d.global[base] = append(d.global[base], v)
	}
}

// maxOrigins bounds how often an entry may point on to another.
const maxOrigins = 8

// attrLocked returns an attribute of an entry or of what it was made from, and
// the entry that has it.
func (d *debugInfo) attrLocked(e *dwarf.Entry, a dwarf.Attr) (any, *dwarf.Entry) {
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

// originLocked returns the entry that one was made from, nil when there is none.
func (d *debugInfo) originLocked(e *dwarf.Entry) *dwarf.Entry {
	off, ok := d.ref(e.Val(dwarf.AttrAbstractOrigin))
	if !ok {
		off, ok = d.ref(e.Val(dwarf.AttrSpecification))
	}
	if !ok {
		return nil
	}
	return d.entryLocked(off)
}

// entryLocked reads the entry at an offset, nil when there is none.
func (d *debugInfo) entryLocked(off dwarf.Offset) *dwarf.Entry {
	u := d.unitAtLocked(off)
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

// nameLocked returns the qualified name of an entry and the linker's.
func (d *debugInfo) nameLocked(e *dwarf.Entry) (name, linkage string) {
	v, at := d.attrLocked(e, dwarf.AttrName)
	l, _ := d.attrLocked(e, dwarf.AttrLinkageName)
	linkage, _ = l.(string)
	name, _ = v.(string)
	if name == "" {
		return readable(linkage), linkage
	}
	return d.scopeLocked(at) + name, linkage
}

// scopeLocked returns what the name of an entry is qualified with: by where the
// entry stands, or where it was declared.
func (d *debugInfo) scopeLocked(e *dwarf.Entry) string {
	for range maxOrigins {
		u := d.unitAtLocked(e.Offset)
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

// path makes a file name of a line table whole.
func (u *unit) path(name string) string {
	if name == "" || path.IsAbs(name) || strings.HasPrefix(name, "<") {
		return name
	}
	return path.Join(u.dir, name)
}
