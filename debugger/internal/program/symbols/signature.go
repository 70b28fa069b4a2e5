package symbols

import (
	"context"
	"debug/dwarf"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A Signature describes how a function is called.
type Signature struct {
	Name    string
	Address uint64
	Known   bool // from the debug information; without it there are no parameters and no result
	Lang    lang.Lang

	Params   []*types.Type // with that for the object of a method
	Variadic bool          // takes further arguments
	Result   *types.Type   // Void if it returns nothing

	Virtual  bool // a method that classes derived from this one may override
	Indirect bool // the code at Address returns the address of the function (STT_GNU_IFUNC)
	Partial  bool // a copy that the compiler made for certain arguments, or a part of a function
}

// Signatures returns the functions with a name in one file: the given one, or else the
// first, where debug information goes before symbols.
func (p *Program) Signatures(ctx context.Context, name string, first *Image) ([]Signature, error) {
	fs, err := p.functions(ctx, name)
	if err != nil {
		return nil, err
	}
	images := inFront(p.Images(), first)
	for _, im := range images {
		var out []Signature
		for _, f := range fs {
			s, ok := p.Signature(f.Start() + f.image.Bias)
			if known := slices.ContainsFunc(out, func(o Signature) bool { return o.Address == s.Address }); ok && f.image == im && !known {
				out = append(out, s)
			}
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	for _, im := range images {
		for _, s := range im.symbols().Named(name) {
			if s.Code {
				return []Signature{{Name: elffile.Demangle(s.Name), Address: s.Addr + im.Bias, Indirect: s.Indirect}}, nil
			}
		}
	}
	return nil, ErrNotFound
}

// Signature returns that of the function that begins at an address; false if none does.
func (p *Program) Signature(addr uint64) (Signature, bool) {
	im := p.Image(addr)
	if im == nil {
		return Signature{}, false
	}
	site := im.WholeSite(addr)
	if site.Start != addr {
		return Signature{}, false
	}
	s := Signature{Name: site.Name, Address: addr, Lang: site.Language()}
	for _, symbol := range im.symbols().Starting(addr - im.Bias) {
		s.Indirect, s.Partial = s.Indirect || symbol.Indirect, s.Partial || isPartial(symbol.Name)
	}
	f := site.Function
	if f == nil || s.Indirect || s.Lang == lang.Unknown { // such as the assembler's
		return s, true
	}
	var params []dwarf.Offset
	var result dwarf.Offset
	s.Known = f.Unit.Info.Do(func() (err error) {
		params, result, err = s.describeLocked(f.Entry, im)
		return err
	}) == nil
	for _, off := range params {
		s.Params = append(s.Params, im.Types().At(off))
	}
	if s.Result = types.Void; result != 0 {
		s.Result = im.Types().At(result)
	}
	return s, true
}

// isPartial reports whether a symbol is that of a copy of a function with other
// parameters, or of a part of one, by the suffixes of GCC and LLVM.
func isPartial(symbol string) bool {
	for _, suffix := range []string{".isra.", ".constprop.", ".part.", ".cold", ".specialized."} {
		if strings.Contains(symbol, suffix) {
			return true
		}
	}
	return false
}

// describeLocked reads the entry of a function, and returns the types of its parameters
// and of its result, 0 if it has none. The debug information must be locked.
func (s *Signature) describeLocked(entry *dwarf.Entry, im *Image) (params []dwarf.Offset, result dwarf.Offset, err error) {
	d := im.DebugInfo()
	typeOf := func(e *dwarf.Entry) dwarf.Offset {
		typ, _ := d.AttrLocked(e, dwarf.AttrType)
		off, _ := d.Ref(typ)
		return off
	}
	virtual, _ := d.AttrLocked(entry, dwarf.AttrVirtuality)
	s.Virtual = virtual != nil
	r := d.ReaderLocked(entry.Offset)
	_, err = r.Next()
	var e *dwarf.Entry
	for entry.Children && err == nil {
		if e, err = r.Next(); e == nil || e.Tag == 0 {
			break
		}
		switch e.Tag {
		case dwarf.TagFormalParameter:
			params = append(params, typeOf(e))
		case dwarf.TagUnspecifiedParameters:
			s.Variadic = true
		}
		r.SkipChildren()
	}
	return params, typeOf(entry), err
}
