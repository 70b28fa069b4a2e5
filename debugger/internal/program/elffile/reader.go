package elffile

import (
	"debug/elf"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
)

// A Reader reads the contents of sections, whose memory an account has.
type Reader struct {
	*File
	Account *budget.Account
}

// Within returns a Reader of the file.
func (o *File) Within(account *budget.Account) Reader { return Reader{o, account} }

// Data is File.Data.
func (r Reader) Data(names ...string) []byte {
	if s := r.Section(names...); s != nil {
		return r.contents(s)
	}
	return nil
}

// DebugSection is File.DebugSection.
func (r Reader) DebugSection(name string) []byte {
	return r.Data(".debug_"+name, ".zdebug_"+name)
}

// AllData is File.AllData.
func (r Reader) AllData(name string) []byte {
	var parts []*elf.Section
	size := uint64(0)
	for _, s := range r.ELF.Sections {
		if s.Name == name && s.Type != elf.SHT_NOBITS {
			parts, size = append(parts, s), size+min(contentSize(s), MaxSection+1)
		}
	}
	if size > MaxSection || r.Account.Take(int64(size)) != nil {
		return nil
	}
	out := make([]byte, 0, min(size, firstPart))
	for _, s := range parts { // their memory is taken
		out = append(out, contents(s, contentSize(s))...)
	}
	return out
}

// firstPart is the memory that the contents of several sections take at first: what a section
// says of its size may be wrong.
const firstPart = 1 << 20

// Take takes the memory of some sections together, before any of them is read. Of sections that
// are taken the contents are read without an account.
func (r Reader) Take(names ...string) error {
	size := int64(0)
	for _, name := range names {
		if s := r.Section(".debug_"+name, ".zdebug_"+name); s != nil {
			size += int64(min(contentSize(s), MaxSection))
		}
	}
	return r.Account.Take(size)
}

// contents returns the contents of a section, nil when it is damaged or takes too much memory.
func (r Reader) contents(s *elf.Section) []byte {
	size := contentSize(s)
	if size > MaxSection || r.Account.Take(int64(size)) != nil {
		return nil
	}
	return contents(s, size)
}
