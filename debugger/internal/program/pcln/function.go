package pcln

import "encoding/binary"

// A Function is a function of the table. It must not be used by several
// goroutines at once.
type Function struct {
	Name       string // as the linker has it; Go 1.20 leaves out type arguments as [...]
	Start, End uint64

	table   *Table
	about   description
	inlined uint64 // where the list of inlined calls is; 0 if there is none
	which   uint32 // the table of which of them an instruction is in; 0 if there is none
	left    int    // how many more ranges of its tables may be read
}

// A description is _func of runtime/runtime2.go. Tables are offsets in the
// part with values.
type description struct {
	Entry   uint32
	Name    int32
	_, _    uint32
	Stack   uint32 // the table of how far the stack has grown
	File    uint32 // the table of files, by number in the unit
	Line    uint32 // the table of lines
	Tables  uint32 // how many more there are
	Unit    uint32 // where its files begin
	_       int32
	_, _, _ uint8
	Lists   uint8 // how many more lists there are
}

// The numbers of what follows a description (internal/abi, symtab.go).
const (
	inlinedTable = 2 // PCDATA_InlTreeIndex
	inlinedList  = 3 // FUNCDATA_InlTree
	noList       = ^uint32(0)
)

// function reads the description of the nth function.
func (t *Table) function(n int) (*Function, error) {
	f := &Function{table: t, left: maxStretches}
	var err error
	if f.Start, err = t.start(n); err != nil {
		return nil, err
	}
	offset, err := t.memory.uint32(t.functions + uint64(n)*entrySize + 4)
	if err != nil {
		return nil, err
	}
	at := t.functions + uint64(offset)
	b, err := t.memory.bytes(at, uint64(binary.Size(f.about)))
	if err != nil {
		return nil, err
	}
	_, _ = binary.Decode(b, binary.LittleEndian, &f.about) // the length is right
	if t.text+uint64(f.about.Entry) != f.Start {
		return nil, ErrFormat
	}
	if f.Name, err = t.memory.text(t.names + uint64(f.about.Name)); err != nil {
		return nil, err
	}
	if f.End, err = f.end(); err != nil {
		return nil, err
	}
	return f, f.findInlined(at + uint64(len(b)))
}

// findInlined locates the lists of inlined calls, which follow the
// description.
func (f *Function) findInlined(at uint64) (err error) {
	if f.about.Tables <= inlinedTable || f.about.Lists <= inlinedList {
		return nil
	}
	m := &f.table.memory
	if f.which, err = m.uint32(at + 4*inlinedTable); err != nil {
		return err
	}
	offset, err := m.uint32(at + 4*uint64(f.about.Tables) + 4*inlinedList)
	if err == nil && offset != noList {
		f.inlined = f.table.data + uint64(offset)
	}
	return err
}

// end returns the end of the function's code, up to which its tables go. There
// may be padding before the next function.
func (f *Function) end() (uint64, error) {
	end := f.Start
	err := f.stretches(f.about.Stack, func(_ int32, _, to uint64) bool {
		end = to
		return true
	})
	return end, err
}

// Stack returns by how many bytes the stack has grown since the function was
// entered, at an address in it.
func (f *Function) Stack(pc uint64) (int32, error) { return f.value(f.about.Stack, pc) }

// A Call is a function that an address lies in.
type Call struct {
	Name    string
	File    string // empty when it is not known
	Line    int
	Inlined bool // into the one that follows
}

// maxInlined bounds how deeply calls are inlined in one another.
const maxInlined = 64

// Calls returns the functions that an address lies in: those inlined there,
// innermost first, and the function itself.
func (f *Function) Calls(pc uint64) ([]Call, error) {
	var out []Call
	size := 0
	for len(out) < maxInlined {
		call := Call{Name: f.Name}
		var err error
		if call.File, call.Line, err = f.line(pc); err != nil {
			return nil, err
		}
		in, ok, err := f.inlinedAt(pc)
		if err != nil {
			return nil, err
		}
		if !ok {
			return append(out, call), nil
		}
		call.Inlined = true
		if call.Name, err = f.table.memory.text(f.table.names + uint64(in.Name)); err != nil {
			return nil, err
		}
		if size += len(call.Name) + len(call.File); size > maxText {
			break
		}
		out, pc = append(out, call), f.Start+uint64(in.Parent)
	}
	return nil, ErrFormat
}

// An inlinedCall is the entry of a call that was inlined (runtime/symtabinl.go).
type inlinedCall struct {
	_      uint32
	Name   int32
	Parent int32 // an instruction of the one that calls it, from the function's start
	_      int32
}

// inlinedAt returns the innermost inlined call at an address.
func (f *Function) inlinedAt(pc uint64) (call inlinedCall, ok bool, err error) {
	if f.inlined == 0 || f.which == 0 {
		return call, false, nil
	}
	n, err := f.value(f.which, pc)
	if err != nil || n < 0 {
		return call, false, err
	}
	size := uint64(binary.Size(call))
	b, err := f.table.memory.bytes(f.inlined+uint64(n)*size, size)
	if err != nil {
		return call, false, err
	}
	_, err = binary.Decode(b, binary.LittleEndian, &call)
	return call, err == nil, err
}

// line returns the file and line of an address.
func (f *Function) line(pc uint64) (string, int, error) {
	number, err := f.value(f.about.File, pc)
	if err != nil || number < 0 {
		return "", 0, err
	}
	line, err := f.value(f.about.Line, pc)
	if err != nil || line <= 0 {
		return "", 0, err
	}
	m := &f.table.memory
	offset, err := m.uint32(f.table.units + 4*(uint64(f.about.Unit)+uint64(number)))
	if err != nil || offset == ^uint32(0) {
		return "", 0, err
	}
	file, err := m.text(f.table.files + uint64(offset))
	return file, int(line), err
}
