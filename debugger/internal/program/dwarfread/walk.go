package dwarfread

import (
	"cmp"
	"debug/dwarf"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// A walker visits the entries of a unit.
type walker struct {
	u      *Unit
	prefix []string // qualifier at each depth
	inside []bool   // whether each depth is within a function
	enum   enumeration
	err    error // why no more can be read
}

// maxNesting limits the nesting depth of entries.
const maxNesting = 512

func (w *walker) walk() error {
	r := w.u.Info.data.Reader()
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
		prefix, inside := w.addEntry(e)
		if w.err != nil {
			return w.err
		}
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

// addEntry records an entry. It returns the qualifier of its children and whether
// they are in a function.
func (w *walker) addEntry(e *dwarf.Entry) (string, bool) {
	prefix, inside := w.prefix[len(w.prefix)-1], w.inside[len(w.inside)-1]
	switch e.Tag {
	case dwarf.TagNamespace:
		return w.namespace(prefix, e), inside
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagInterfaceType:
		w.scope(e, prefix)
		w.goTypes(e)
		if e.Tag == dwarf.TagEnumerationType {
			w.enumeration(e)
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		if name == "" || !w.takeName(prefix, name) {
			return prefix, inside
		}
		w.addName(prefix, e)
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
	case dwarf.TagEnumerator, dwarf.TagConstant:
		w.constant(e)
	default:
		if e.Tag == dwarf.TagTypedef || e.Tag == dwarf.TagBaseType {
			if name, _ := e.Val(dwarf.AttrName).(string); !w.takeName(prefix, name) {
				return prefix, inside
			}
			w.addName(prefix, e)
		}
		if w.u.Lang == lang.Go || e.Tag == dwarf.TagTypedef || e.Tag == dwarf.TagBaseType {
			w.scope(e, prefix)
			w.goTypes(e)
		}
	}
	return prefix, inside
}

// namespace returns the qualifier of names in a namespace, which may be
// anonymous.
func (w *walker) namespace(prefix string, e *dwarf.Entry) string {
	name, ok := e.Val(dwarf.AttrName).(string)
	if !ok {
		name = "(anonymous namespace)"
	}
	if !w.takeName(prefix, name) {
		return prefix
	}
	return prefix + name + "::"
}

// takeName takes the memory of a name in a scope, twice: it is also that of a scope.
func (w *walker) takeName(prefix, name string) bool {
	if len(prefix)+len(name) > maxName {
		w.err = errLongName
		return false
	}
	w.err = w.u.Info.take(entryCost + 2*(len(prefix)+len(name)))
	return w.err == nil
}

func (w *walker) scope(e *dwarf.Entry, prefix string) {
	if prefix != "" {
		w.err = cmp.Or(w.err, w.u.Info.take(rangeCost))
		w.u.scopes[e.Offset] = prefix
	}
}

// addName adds a type definition to the index. Base types are added under their
// usual spelling.
func (w *walker) addName(prefix string, e *dwarf.Entry) {
	switch e.Tag {
	case dwarf.TagBaseType, dwarf.TagTypedef, dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagInterfaceType:
	default:
		return
	}
	name, _ := e.Val(dwarf.AttrName).(string)
	if name == "" || e.Val(dwarf.AttrDeclaration) != nil {
		return
	}
	key := prefix + cmp.Or(BaseTypeNames[name], name)
	if _, ok := w.u.Info.named[key]; !ok || e.Tag != dwarf.TagTypedef { // a struct takes precedence over a typedef of the same name
		w.u.Info.named[key] = e.Offset
	}
}

// goTypes adds the run-time descriptor of a Go type to the index.
func (w *walker) goTypes(e *dwarf.Entry) {
	if w.u.Lang != lang.Go {
		return
	}
	if addr, ok := e.Val(attrGoRuntimeType).(uint64); ok && addr != 0 {
		w.err = cmp.Or(w.err, w.u.Info.take(rangeCost))
		w.u.Info.goType[addr] = e.Offset
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
	rs, err := w.u.rangesLocked(e)
	if err != nil || len(rs) == 0 || rs[0][0] == 0 || rs[0][0] >= rs[0][1] {
		return
	}
	if w.err = cmp.Or(w.err, w.u.Info.takeEntry(e, len(rs))); w.err != nil {
		return
	}
	w.u.functions = append(w.u.functions, &Subprogram{Unit: w.u, Entry: e, ranges: rs})
}

func (w *walker) variable(e *dwarf.Entry) {
	if e.Val(dwarf.AttrDeclaration) != nil {
		return
	}
	v := &Variable{Unit: w.u, Entry: e, Placeless: e.Val(dwarf.AttrLocation) == nil && e.Val(dwarf.AttrConstValue) == nil}
	v.Name, _ = w.u.Info.NameLocked(e)
	if v.Name == "" {
		return
	}
	if w.err = cmp.Or(w.err, w.u.Info.takeEntry(e, 0, v.Name, v.Name)); w.err != nil {
		return
	}
	if !v.Placeless { // it may be the abstract form of one that has a place
		w.u.globals = append(w.u.globals, v)
	}
	if w.u.Lang == lang.Rust {
		w.u.Info.indexTable(v.Name, e)
	}
	d := w.u.Info
	d.global[v.Name] = append(d.global[v.Name], v)
	if base := BaseName(v.Name); base != v.Name {
		d.global[base] = append(d.global[base], v)
	}
}
