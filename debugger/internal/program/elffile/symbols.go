package elffile

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
)

// A Symbol is one entry of an ELF symbol table, in the file's addresses.
type Symbol struct {
	Name string
	Addr uint64
	size uint64
	end  uint64 // of the section
	Code bool

	Indirect bool // its code returns the address of the function (STT_GNU_IFUNC)

	rank uint8 // of several at one address the lowest is shown
}

// A SymbolTable finds symbols by address and by name.
type SymbolTable struct {
	sorted []Symbol // by address, then rank
	byName map[string][]int32
}

// ReadSymbols merges the tables of a file and of its separate debug file.
// An account has its memory; what there is no memory for is left out.
func ReadSymbols(account *budget.Account, objects ...*File) *SymbolTable {
	t := &SymbolTable{byName: map[string][]int32{}}
	var last *File
	for _, o := range objects {
		if o == last {
			continue
		}
		last = o
		t.sorted = append(t.sorted, o.Within(account).symbols()...)
	}
	slices.SortFunc(t.sorted, func(a, b Symbol) int {
		return cmp.Or(
			cmp.Compare(a.Addr, b.Addr), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.size, b.size), cmp.Compare(a.end, b.end),
		)
	})
	t.sorted = slices.Clip(slices.Compact(t.sorted))
	for i, s := range t.sorted {
		t.byName[s.Name] = append(t.byName[s.Name], int32(i))
	}
	return t
}

// symbols reads .symtab and .dynsym. A stripped file has only one of them.
func (r Reader) symbols() []Symbol {
	var out []Symbol
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		out = append(out, r.table(kind)...)
	}
	return out
}

// What a symbol takes in a file, and in a SymbolTable with its indexes. Longer names than
// maxName are of no program.
const (
	symbolSize = 24
	symbolCost = 192
	maxName    = 1 << 16
)

// table reads the first table of symbols of a kind (ELF-64 object file format, figure 5).
func (r Reader) table(kind elf.SectionType) []Symbol {
	s := r.ELF.SectionByType(kind)
	if s == nil || uint64(s.Link) >= uint64(len(r.ELF.Sections)) || s.Size > MaxSection {
		return nil
	}
	if err := r.Account.Take(int64(s.Size / symbolSize * symbolCost)); err != nil {
		return nil
	}
	data := r.contents(s)
	names := string(r.contents(r.ELF.Sections[s.Link]))
	if len(data) < symbolSize {
		return nil
	}
	out := make([]Symbol, 0, len(data)/symbolSize)
	for b := data[symbolSize:]; len(b) >= symbolSize; b = b[symbolSize:] { // the first one is null
		if sym, ok := r.symbol(elf.Symbol{
			Name: nameAt(names, binary.LittleEndian.Uint32(b)), Info: b[4], Other: b[5],
			Section: elf.SectionIndex(binary.LittleEndian.Uint16(b[6:])),
			Value:   binary.LittleEndian.Uint64(b[8:]), Size: binary.LittleEndian.Uint64(b[16:]),
		}); ok {
			out = append(out, sym)
		}
	}
	return out
}

// nameAt returns the name at an offset of a table of strings, which it shares; "" if there is
// none.
func nameAt(names string, at uint32) string {
	if uint64(at) >= uint64(len(names)) {
		return ""
	}
	name := names[at:min(len(names), int(at)+maxName)]
	return name[:max(0, strings.IndexByte(name, 0))]
}

// symbol converts a symbol that names code or data of this file.
func (o *File) symbol(s elf.Symbol) (Symbol, bool) {
	kind := elf.ST_TYPE(s.Info)
	code := kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC
	if kind == elf.STT_NOTYPE && int(s.Section) < len(o.ELF.Sections) && s.Section != elf.SHN_UNDEF {
		code = o.ELF.Sections[s.Section].Flags&elf.SHF_EXECINSTR != 0
	}
	switch {
	case s.Section == elf.SHN_UNDEF, s.Section == elf.SHN_ABS, s.Name == "":
		return Symbol{}, false
	case !code && kind != elf.STT_OBJECT:
		return Symbol{}, false
	}
	return Symbol{Name: s.Name, Addr: s.Value, size: s.Size, end: o.sectionEnd(s.Section), Code: code, Indirect: kind == elf.STT_GNU_IFUNC, rank: rank(s, kind)}, true
}

// sectionEnd returns the address at which a section of the file ends.
func (o *File) sectionEnd(i elf.SectionIndex) uint64 {
	if int(i) >= len(o.ELF.Sections) {
		return math.MaxUint64
	}
	return o.ELF.Sections[i].Addr + o.ELF.Sections[i].Size
}

// rank orders symbols at one address: sized before unsized, global before weak
// before local, plain before reserved names.
func rank(s elf.Symbol, kind elf.SymType) uint8 {
	var r uint8
	if kind == elf.STT_NOTYPE || s.Size == 0 {
		r += 8
	}
	switch elf.ST_BIND(s.Info) {
	case elf.STB_WEAK:
		r += 2
	case elf.STB_LOCAL:
		r += 4
	}
	if strings.HasPrefix(s.Name, "_") && !strings.HasPrefix(s.Name, "_Z") {
		r++
	}
	return r
}

// At returns the symbol that covers an address of the file. A symbol without a
// size extends to the next one or to the end of its section.
func (t *SymbolTable) At(addr uint64, code bool) (Symbol, bool) {
	i := sort.Search(len(t.sorted), func(i int) bool { return t.sorted[i].Addr > addr }) - 1
	var best Symbol
	found, passed := false, false // passed: a symbol that ends below addr
	for steps := 0; i >= 0 && steps < 64; i, steps = i-1, steps+1 {
		s := t.sorted[i]
		if found && s.Addr != best.Addr {
			break
		}
		if s.Code != code {
			continue
		}
		if addr < s.Addr+s.size || s.size == 0 && !found && !passed && addr < s.end {
			best, found = s, true
		}
		passed = true
	}
	return best, found
}

// Starting returns the symbols at an address of the file.
func (t *SymbolTable) Starting(addr uint64) []Symbol {
	i := sort.Search(len(t.sorted), func(i int) bool { return t.sorted[i].Addr >= addr })
	j := i
	for j < len(t.sorted) && t.sorted[j].Addr == addr {
		j++
	}
	return t.sorted[i:j]
}

// Each calls visit for all symbols, by address.
func (t *SymbolTable) Each(visit func(Symbol)) {
	for _, s := range t.sorted {
		visit(s)
	}
}

// Named returns the symbols of a name.
func (t *SymbolTable) Named(name string) []Symbol {
	var out []Symbol
	for _, i := range t.byName[name] {
		out = append(out, t.sorted[i])
	}
	return out
}

// Demangle returns the program's name for a linker name, without parameters
// and without a version after @.
func Demangle(name string) string {
	if i := strings.IndexByte(name, '@'); i > 0 {
		name = name[:i]
	}
	if len(name) > 8<<10 || (!strings.HasPrefix(name, "_Z") && !strings.HasPrefix(name, "_R")) {
		return name
	}
	return demangle.Filter(name, demangle.NoParams, demangle.NoEnclosingParams, demangle.NoClones, demangle.MaxLength(12))
}
