package pcln

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
)

// ErrFormat is returned for a table that is damaged or of another version of
// Go.
var ErrFormat = errors.New("not a function table of Go 1.20 or later")

// ErrNotFound is returned when the table has no function at an address.
var ErrNotFound = errors.New("no function of Go at that address")

// A Source gives access to the table in a file.
type Source struct {
	Addr   uint64 // of the table
	Module []byte // data that has runtime.moduledata in it, at a multiple of eight

	// Read reads the contents of the file at an address; what is not in the
	// file is zero. It fails at addresses without any contents.
	Read func(addr uint64, p []byte) error
}

// A Table is the function table of one file.
type Table struct {
	memory pages

	names, units, files, values, functions uint64 // addresses of the parts

	count int    // of functions
	text  uint64 // what addresses of functions count from
	data  uint64 // what addresses of lists of inlined calls count from
}

// magic is the first word of the tables of Go 1.20 and later (internal/abi,
// symtab.go).
const magic = 0xfffffff1

// maxFunctions bounds the number of functions in a header.
const maxFunctions = 1 << 26

// header is pcHeader of runtime/symtab.go.
type header struct {
	Magic           uint32
	_               uint16
	Quantum         uint8 // the least size of an instruction
	PointerSize     uint8
	Functions       uint64
	_, _            uint64
	Names           uint64 // the parts, from the beginning of the header
	Units           uint64
	Files           uint64
	Values          uint64
	FunctionEntries uint64
}

// Open reads the table's header. The error is [ErrFormat] for a table of
// another version.
func Open(s Source) (*Table, error) {
	t := &Table{memory: pages{read: s.Read}}
	var h header
	b, err := t.memory.bytes(s.Addr, uint64(binary.Size(h)))
	if err != nil {
		return nil, err
	}
	_, _ = binary.Decode(b, binary.LittleEndian, &h) // the length is right
	if h.Magic != magic || h.Quantum != 1 || h.PointerSize != 8 || h.Functions == 0 || h.Functions > maxFunctions {
		return nil, ErrFormat
	}
	t.count = int(h.Functions)
	t.names, t.units, t.files = s.Addr+h.Names, s.Addr+h.Units, s.Addr+h.Files
	t.values, t.functions = s.Addr+h.Values, s.Addr+h.FunctionEntries
	return t, t.place(s)
}

// Offsets of fields of runtime.moduledata, in words (runtime/symtab.go).
const (
	moduleNames     = 1
	moduleUnits     = 4
	moduleFiles     = 7
	moduleValues    = 10
	moduleFunctions = 13
	moduleFirst     = 20 // the first function
	moduleLast      = 21 // the end of the last one
	moduleText      = 22
	moduleData      = 40
	moduleWords     = 41
)

// place finds moduledata by the addresses of the header and its parts, which
// it must hold, and reads from it what the header lacks.
func (t *Table) place(s Source) error {
	for at := 0; at+8*moduleWords <= len(s.Module); at += 8 {
		word := func(i int) uint64 { return binary.LittleEndian.Uint64(s.Module[at+8*i:]) }
		if word(0) != s.Addr || word(moduleNames) != t.names || word(moduleUnits) != t.units || word(moduleFiles) != t.files ||
			word(moduleValues) != t.values || word(moduleFunctions) != t.functions {
			continue
		}
		t.text, t.data = word(moduleText), word(moduleData)
		first, err := t.start(0)
		if err != nil {
			return err
		}
		last, err := t.start(t.count)
		if err != nil {
			return err
		}
		if first == word(moduleFirst) && last == word(moduleLast) {
			return nil
		}
	}
	return fmt.Errorf("%w: there is no moduledata", ErrFormat)
}

// entrySize is the size of an entry in the list of functions: its start,
// relative to the text, and its description, relative to the list. The end of
// the last function follows the list.
const entrySize = 8

// start returns the start of the nth function.
func (t *Table) start(n int) (uint64, error) {
	offset, err := t.memory.uint32(t.functions + uint64(n)*entrySize)
	return t.text + uint64(offset), err
}

// Find returns the function at an address. The error is [ErrNotFound] when there
// is none.
func (t *Table) Find(pc uint64) (*Function, error) {
	var failed error
	i := sort.Search(t.count+1, func(i int) bool {
		start, err := t.start(i)
		if err != nil {
			failed = err
		}
		return start > pc
	})
	if failed != nil {
		return nil, failed
	}
	if i == 0 || i > t.count {
		return nil, ErrNotFound
	}
	f, err := t.function(i - 1)
	if err == nil && pc >= f.End {
		err = ErrNotFound
	}
	return f, err
}
