package recfile

import (
	"encoding/binary"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// decodeEvent decodes an event with the table of files of its segment.
func decodeEvent(p payload, table []int) (Event, error) {
	d := newDecoder(p, table)
	e := Event{Kind: Kind(d.byte()), Remap: noRemap}
	parts := d.byte()
	e.Immediate = parts&partImmediate != 0
	e.Position, e.Number, e.Hash = d.uvarint(), d.uvarint(), d.word()
	e.Status, e.Reason = int(d.varint()), d.text()
	e.Registers = d.registers()
	if parts&partWrites != 0 {
		e.Writes = d.writes()
	}
	if parts&partVector != 0 {
		e.Vector = d.bytes(d.uvarint())
	}
	if parts&partRemap != 0 {
		e.Remap = Remap{Kind: RemapKind(d.byte()), Mapping: d.mapping(), To: d.uvarint(), ToLen: d.uvarint()}
	}
	if parts&partMappings != 0 {
		for n := d.count(maxMappings); n > 0 && !d.bad; n-- {
			e.Mappings = append(e.Mappings, d.mapping())
		}
	}
	if parts&partThreads != 0 {
		for n := d.count(MaxThreads); n > 0 && !d.bad; n-- {
			e.Threads = append(e.Threads, Thread{int(d.uvarint() & (1<<31 - 1)), d.registers(), d.bytes(d.uvarint())})
		}
	}
	if parts&partCurrent != 0 {
		e.Current = int(d.uvarint() & (1<<31 - 1))
	}
	if d.bad || d.left() > 0 || !e.valid() {
		return Event{}, ErrCorrupt
	}
	return e, nil
}

// decodedSize returns the bytes of memory that the lists of an event take, which grow as they are
// decoded. They refer to the contents of the encoded event.
func (e *Event) decodedSize() int64 {
	const write, mapping, thread, register = 32, 80, 80, 16
	n := len(e.Writes)*write + len(e.Mappings)*mapping + len(e.Threads)*thread
	for _, t := range e.Threads {
		n += len(t.Registers) * register
	}
	return 2 * int64(n)
}

// valid reports whether a replay can do what the event says.
func (e *Event) valid() bool {
	if !validRegisters(e.Registers) {
		return false
	}
	for _, t := range e.Threads {
		if !validRegisters(t.Registers) || len(t.Vector) > MaxVector {
			return false
		}
	}
	for _, w := range e.Writes {
		if w.Address+uint64(len(w.Data)) < w.Address {
			return false
		}
	}
	for _, m := range append([]Mapping{e.Remap.Mapping}, e.Mappings...) {
		if !m.valid() {
			return false
		}
	}
	to := Mapping{Start: e.Remap.To, Length: e.Remap.ToLen, File: -1}
	return e.Kind != 0 && e.Kind < lastKind && e.Position < 1<<62 && e.Position+e.Positions() < 1<<62 &&
		len(e.Vector) <= MaxVector && e.Remap.Kind < lastRemap && to.valid()
}

// validRegisters reports whether a process can have the registers.
func validRegisters(list []Register) bool {
	for _, r := range list {
		if int(r.Number) >= ptrace.NumRegs || r.Number == OrigRAX || r.Number == codeSegment && r.Value != LongMode {
			return false
		}
	}
	return true
}

// valid reports whether a mapping is in the memory of programs.
func (m *Mapping) valid() bool {
	return m.Start%PageSize == 0 && m.Start <= addressEnd && m.Length <= addressEnd-m.Start &&
		m.Protection <= 7 && m.Offset%PageSize == 0
}

// A decoder reads numbers and texts. After an error it returns zeros.
type decoder struct {
	b      []byte
	zeros  []zeroRun
	hidden uint64 // the sum of zeros
	size   int    // of b at the beginning, which zeros refer to
	table  []int  // of files
	bad    bool
}

func newDecoder(p payload, table []int) decoder {
	hidden := p.size() - uint64(len(p.b))
	return decoder{b: p.b, zeros: slices.Clone(p.zeros), hidden: hidden, size: len(p.b), table: table}
}

func (d *decoder) fail() { d.b, d.zeros, d.hidden, d.bad = nil, nil, 0, true }

func (d *decoder) byte() byte {
	if b := d.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (d *decoder) bytes(n uint64) []byte { return d.take(n) }

func (d *decoder) word() uint64 {
	if b := d.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.next(maxNumber))
	if n <= 0 {
		d.fail()
		return 0
	}
	d.take(uint64(n))
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.next(maxNumber))
	if n <= 0 {
		d.fail()
		return 0
	}
	d.take(uint64(n))
	return v
}

func (d *decoder) text() string {
	n := d.uvarint()
	if n > maxText {
		d.fail()
	}
	return string(d.bytes(min(n, maxText)))
}

// count reads a number of items, which are at most so many and have at least a byte each.
func (d *decoder) count(most int) int {
	n := d.uvarint()
	if n > min(uint64(most), d.left()) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) registers() []Register {
	var list []Register
	for range d.count(ptrace.NumRegs) {
		list = append(list, Register{d.byte(), d.uvarint()})
	}
	return list
}

func (d *decoder) writes() []Write {
	n := d.count(maxWrites)
	list := make([]Write, 0, min(n, int(d.left()/2))) // of two bytes at least
	for ; n > 0 && !d.bad; n-- {
		list = d.write(list, d.uvarint(), d.uvarint())
	}
	return list
}

// write appends a write of n bytes: several, if there are longer runs of zeros among them.
func (d *decoder) write(list []Write, address, n uint64) []Write {
	if len(d.zeros) == 0 || n == 0 {
		return append(list, Write{address, d.take(n)})
	}
	if address+n < address || n > d.left() {
		d.fail()
		return list
	}
	for n > 0 {
		b := d.piece(n)
		list = append(list, Write{address, b})
		address, n = address+uint64(len(b)), n-uint64(len(b))
	}
	return list
}

func (d *decoder) mapping() Mapping {
	return Mapping{
		Start: d.uvarint(), Length: d.uvarint(), Protection: uint32(min(d.uvarint(), 8)),
		File: d.file(), Offset: d.uvarint(), Name: d.text(),
	}
}

// file reads the index of a file, or -1.
func (d *decoder) file() int {
	n := d.uvarint()
	switch {
	case n == 0:
		return -1
	case n > uint64(len(d.table)):
		d.fail()
		return -1
	}
	return d.table[n-1]
}
