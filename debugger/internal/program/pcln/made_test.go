package pcln_test

import (
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/pcln"
)

// Where the parts of a table that the tests make are.
const (
	tableAddr  = 0x4000
	namesAt    = 0x100
	unitsAt    = 0x140
	filesAt    = 0x150
	valuesAt   = 0x180
	entriesAt  = 0x200
	inlinedAt  = 0x300
	tableSize  = 0x340
	textAddr   = 0x1000
	moduleSize = 8 * 42
)

// made is a table with two functions, as the linker's source describes it:
// main.f is 0x20 bytes from 0x1000 on, of which those from 0x1008 to 0x1010 are
// main.g inlined, which was called where 0x1004 is; main.h is 0x10 bytes from
// 0x1030 on.
func made() (table, module []byte) {
	table = make([]byte, tableSize)
	put := func(at int, numbers ...uint32) {
		for i, n := range numbers {
			binary.LittleEndian.PutUint32(table[at+4*i:], n)
		}
	}
	put(0, 0xfffffff1, 1<<16|8<<24) // magic, quantum, size of a pointer
	for i, n := range []uint64{2, 2, 0, namesAt, unitsAt, filesAt, valuesAt, entriesAt} {
		binary.LittleEndian.PutUint64(table[8+8*i:], n)
	}
	copy(table[namesAt:], "\x00main.f\x00main.g\x00main.h\x00")
	put(unitsAt, 0, 5) // files of the unit
	copy(table[filesAt:], "/f.go\x00/g.go\x00")
	copy(table[filesAt:], "/f.g\x00/g.go\x00")
	copy(table[valuesAt:], "\x00"+
		"\x02\x04\x20\x1c\x00"+ // at 1, heights: 0 for 4 bytes, 16 for 28
		"\x02\x08\x02\x08\x01\x10\x00"+ // at 6, files: 0 for 8, 1 for 8, 0 for 16
		"\x16\x04\x02\x04\x0e\x08\x0b\x10\x00"+ // at 13, lines: 10, 11, 18, 12
		"\x00\x08\x02\x08\x01\x10\x00"+ // at 22, which call: none, 0, none
		"\x02\x10\x00"+ // at 29, heights and files of main.h: 0 for 16
		"\x3c\x10\x00") // at 32, lines of main.h: 29
	const first, second = 0x40, 0xa0 // from entriesAt on
	put(entriesAt, 0, first, 0x30, second, 0x40)
	put(entriesAt+first, 0, 1, 0, 0, 1, 6, 13, 3, 0, 9, 4<<24, // of them 3 tables, the unit at 0, 4 lists
		0, 0, 22, ^uint32(0), ^uint32(0), ^uint32(0), 0)
	put(entriesAt+second, 0x30, 15, 0, 0, 29, 29, 32, 0, 0, 29, 0)
	put(inlinedAt, 0, 8, 4, 17) // main.g, called at 4 from the start

	module = make([]byte, 16+moduleSize)
	word := func(i int, n uint64) { binary.LittleEndian.PutUint64(module[16+8*i:], n) }
	for i, n := range map[int]uint64{0: 0, 1: namesAt, 4: unitsAt, 7: filesAt, 10: valuesAt, 13: entriesAt, 40: inlinedAt} {
		word(i, tableAddr+n)
	}
	word(20, textAddr)
	word(21, textAddr+0x40)
	word(22, textAddr)
	return table, module
}

// reader reads a table at its address.
func reader(table []byte) func(uint64, []byte) error {
	return func(addr uint64, p []byte) error {
		clear(p)
		if addr < tableAddr || addr >= tableAddr+uint64(len(table)) {
			return errors.New("nothing is there")
		}
		copy(p, table[addr-tableAddr:])
		return nil
	}
}

func TestMade(t *testing.T) {
	table, module := made()
	p, err := pcln.Open(pcln.Source{Addr: tableAddr, Module: module, Read: reader(table)})
	if err != nil {
		t.Fatal(err)
	}
	f := func(line int) []pcln.Call { return []pcln.Call{{Name: "main.f", File: "/f.g", Line: line}} }
	for _, tt := range []struct {
		pc    uint64
		calls []pcln.Call
		stack int32
	}{
		{0x1000, f(10), 0},
		{0x1003, f(10), 0},
		{0x1004, f(11), 16},
		{0x1008, append([]pcln.Call{{Name: "main.g", File: "/g.go", Line: 18, Inlined: true}}, f(11)...), 16},
		{0x100f, append([]pcln.Call{{Name: "main.g", File: "/g.go", Line: 18, Inlined: true}}, f(11)...), 16},
		{0x1010, f(12), 16},
		{0x101f, f(12), 16},
		{0x1030, []pcln.Call{{Name: "main.h", File: "/f.g", Line: 29}}, 0},
	} {
		f, err := p.Find(tt.pc)
		if err != nil {
			t.Errorf("%#x: %v", tt.pc, err)
			continue
		}
		calls, err := f.Calls(tt.pc)
		if err != nil || !reflect.DeepEqual(calls, tt.calls) {
			t.Errorf("%#x: %+v, %v; want %+v", tt.pc, calls, err, tt.calls)
		}
		if stack, err := f.Stack(tt.pc); err != nil || stack != tt.stack {
			t.Errorf("%#x: the stack has grown by %d, %v; want %d", tt.pc, stack, err, tt.stack)
		}
	}
	for _, pc := range []uint64{0, 0xfff, 0x1020, 0x102f, 0x1040, 1 << 40} {
		if f, err := p.Find(pc); !errors.Is(err, pcln.ErrNotFound) {
			t.Errorf("%#x: %+v, %v; want no function", pc, f, err)
		}
	}
}

// Tables of another form are refused.
func TestOtherForms(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(table, module []byte)
	}{
		{"Go 1.18", func(table, _ []byte) { table[0] = 0xf0 }},
		{"32 bits", func(table, _ []byte) { table[7] = 4 }},
		{"another quantum", func(table, _ []byte) { table[6] = 4 }},
		{"no functions", func(table, _ []byte) { clear(table[8:16]) }},
		{"too many functions", func(table, _ []byte) { table[15] = 0x7f }},
		{"no moduledata", func(_, module []byte) { clear(module) }},
		{"moduledata of another table", func(_, module []byte) { module[16]++ }},
		{"moduledata that knows other functions", func(_, module []byte) { module[16+8*21]++ }},
	} {
		table, module := made()
		tt.change(table, module)
		if _, err := pcln.Open(pcln.Source{Addr: tableAddr, Module: module, Read: reader(table)}); !errors.Is(err, pcln.ErrFormat) {
			t.Errorf("%s: %v, want %v", tt.name, err, pcln.ErrFormat)
		}
	}
}

// What one address costs is bounded, however much a file says of it.
func TestMadeTooLong(t *testing.T) {
	for _, tt := range []struct {
		what    string
		calls   int
		name    string
		changes int
		want    error
	}{
		{"calls", 20, "main.g", 1, nil},
		{"calls in long tables", 3, "main.g", 200_000, nil},
		{"many calls in long tables", 20, "main.g", 200_000, pcln.ErrFormat},
		{"calls of a long name", 3, strings.Repeat("g", 2000), 1, nil},
		{"many calls of a long name", 20, strings.Repeat("g", 2000), 1, pcln.ErrFormat},
	} {
		table, module := nested(tt.calls, tt.name, tt.changes)
		p, err := pcln.Open(pcln.Source{Addr: tableAddr, Module: module, Read: reader(table)})
		if err != nil {
			t.Fatal(err)
		}
		pc := textAddr + uint64(tt.changes)
		f, err := p.Find(pc)
		if err != nil {
			t.Fatal(err)
		}
		if calls, err := f.Calls(pc); !errors.Is(err, tt.want) || err == nil && len(calls) != tt.calls+1 {
			t.Errorf("%s: %d calls, %v; want %v", tt.what, len(calls), err, tt.want)
		}
	}
}

// nested is made with a longer main.f, that has calls of one name inlined in one
// another from an address on before which lines change with every byte.
func nested(calls int, name string, changes int) (table, module []byte) {
	const size = 1 << 20
	table, module = made()
	const first = entriesAt + 0x40
	put := func(at int, n int) { binary.LittleEndian.PutUint32(table[at:], uint32(n)) }
	add := func(part int, data []byte) int {
		table = append(table, data...)
		return len(table) - len(data) - part
	}
	values := func(begin string, step uint64, rest ...byte) []byte {
		return append(binary.AppendUvarint([]byte(begin), step), rest...)
	}
	constant := add(valuesAt, values("\x02", size, 0))
	put(first+16, constant)
	put(first+20, constant)
	put(first+24, add(valuesAt, values("\x16\x01"+strings.Repeat("\x02\x01\x01\x01", changes/2)+"\x02", size, 0)))
	which := values("\x00", uint64(changes), []byte(strings.Repeat("\x02\x01", calls))...)
	put(first+44+8, add(valuesAt, values(string(binary.AppendUvarint(which, uint64(2*calls-1))), size, 0)))
	at := add(namesAt, []byte(name+"\x00"))
	var list []byte
	for i := range calls {
		for _, n := range []int{0, at, changes + i + 1, 0} {
			list = binary.LittleEndian.AppendUint32(list, uint32(n))
		}
	}
	put(first+44+24, add(inlinedAt, list))
	put(entriesAt+8, size)
	put(entriesAt+16, size+16)
	binary.LittleEndian.PutUint64(module[16+8*21:], textAddr+size+16)
	return table, module
}

// FuzzTable damages a table: whatever comes, it ends, and inlined calls come
// before the function.
func FuzzTable(f *testing.F) {
	f.Add(uint16(0), []byte{}, uint64(0x1008))
	f.Add(uint16(valuesAt+22), []byte{0, 0x20, 0}, uint64(0x1008))
	f.Add(uint16(inlinedAt+8), []byte{8}, uint64(0x100a)) // a call that is inlined into itself
	f.Add(uint16(entriesAt+4), []byte{0xff, 0xff, 0xff, 0xff}, uint64(0x1000))
	f.Fuzz(func(t *testing.T, at uint16, patch []byte, pc uint64) {
		table, module := made()
		copy(table[int(at)%len(table):], patch)
		p, err := pcln.Open(pcln.Source{Addr: tableAddr, Module: module, Read: reader(table)})
		if err != nil {
			return
		}
		found, err := p.Find(pc)
		if err != nil {
			return
		}
		if pc < found.Start || pc >= found.End {
			t.Errorf("%#x is not in %+v", pc, found)
		}
		_, _ = found.Stack(pc)
		calls, err := found.Calls(pc)
		for i, call := range calls {
			if err == nil && call.Inlined != (i < len(calls)-1) {
				t.Errorf("%#x: %+v", pc, calls)
			}
		}
	})
}
