package history

import (
	"encoding/binary"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// ErrCorrupt is returned for invalid records, which only a file can contain.
var ErrCorrupt = errors.New("the records are damaged")

// A Kind is the kind of a record.
type Kind uint8

// The kinds of records.
const (
	Stepped   Kind = iota // one instruction
	Signalled             // a signal was delivered; an instruction may have been done too
	Called                // a system call
	Ran                   // an unrecorded run: only its result is known
	Ended                 // a thread ended
	Changed               // the debugger changed the process
	lastKind  = Changed
)

// kindNames are the names of kinds in exports.
var kindNames = [...]string{"step", "signal", "syscall", "run", "end", "change"}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[min(k, lastKind)] }

// The first byte of a record holds its kind and one bit for each part that it
// has. The index of the thread in the table of threads and the difference of
// its registers follow, then the parts in this order.
const (
	kindBits   = 0x0f
	partMemory = 0x10
	partVector = 0x20
	partExtra  = 0x40
)

// The extra part is a list of items that few records have. Each begins with one
// of these tags and its length.
const (
	extraMaps   = iota // mappings that were removed, mappings that were added
	extraThread        // a thread was created, or ended
	extraOther         // registers and vector state of another thread
	extraNote          // a description in words
	extraNumber        // of the system call or signal
	extraSwitch        // the thread that was the current one before
)

// A span is a range of memory and its contents on the other side of the record:
// the contents before the step while the view is after it, and the contents
// after the step while the view is before it. The data is in the record.
type span struct {
	addr uint64
	data []byte
}

// appendSpan appends a span of the memory part. The part begins with their
// number.
func appendSpan(b []byte, addr uint64, data []byte) []byte {
	b = binary.AppendUvarint(b, addr)
	b = binary.AppendUvarint(b, uint64(len(data)))
	return append(b, data...)
}

// spans reads the memory part into dst.
func (d *decoder) spans(dst []span) []span {
	for range d.count(2) {
		addr := d.uvarint()
		data := d.bytes(d.uvarint())
		if d.bad || addr+uint64(len(data)) < addr {
			d.fail()
			return dst[:0]
		}
		dst = append(dst, span{addr, data})
	}
	return dst
}

// A head is the first bytes of a record, decoded.
type head struct {
	kind   Kind
	parts  byte
	thread int // index in the table of threads
}

func (d *decoder) head(threads int) head {
	first := d.byte()
	h := head{kind: Kind(first & kindBits), parts: first &^ kindBits, thread: d.index(threads)}
	if h.kind > lastKind {
		d.fail()
	}
	return h
}

func appendHead(b []byte, h head) []byte {
	return binary.AppendUvarint(append(b, byte(h.kind)|h.parts), uint64(h.thread))
}

// appendExtra appends one item of the extra part.
func appendExtra(b []byte, tag byte, payload []byte) []byte {
	b = binary.AppendUvarint(append(b, tag), uint64(len(payload)))
	return append(b, payload...)
}

// extras calls f for each item of the extra part.
func (d *decoder) extras(f func(tag byte, payload *decoder)) {
	for range d.count(2) {
		tag := d.byte()
		payload := decoder{b: d.bytes(d.uvarint())}
		if d.bad {
			return
		}
		if f(tag, &payload); payload.bad {
			d.fail()
			return
		}
	}
}

// Flags of a mapping in a record.
const (
	mapRead = 1 << iota
	mapWrite
	mapExecute
	mapShared
)

// appendMaps appends a list of mappings.
func appendMaps(b []byte, maps procfs.Maps) []byte {
	b = binary.AppendUvarint(b, uint64(len(maps)))
	for _, m := range maps {
		b = binary.AppendUvarint(b, m.Start)
		b = binary.AppendUvarint(b, m.End)
		b = append(b, mapFlags(m))
		b = binary.AppendUvarint(b, m.Offset)
		b = appendText(b, m.Device)
		b = binary.AppendUvarint(b, m.Inode)
		b = appendText(b, m.Path)
	}
	return b
}

func mapFlags(m procfs.Map) byte {
	flags := byte(0)
	for i, on := range [...]bool{m.Read, m.Write, m.Execute, m.Shared} {
		if on {
			flags |= 1 << i
		}
	}
	return flags
}

// minMap is the minimum number of bytes of a mapping in a record.
const minMap = 7

// maps reads a list of mappings.
func (d *decoder) maps() procfs.Maps {
	var maps procfs.Maps
	for range d.count(minMap) {
		m := procfs.Map{Start: d.uvarint(), End: d.uvarint()}
		flags := d.byte()
		m.Read, m.Write = flags&mapRead != 0, flags&mapWrite != 0
		m.Execute, m.Shared = flags&mapExecute != 0, flags&mapShared != 0
		m.Offset, m.Device, m.Inode, m.Path = d.uvarint(), d.text(), d.uvarint(), d.text()
		if m.End < m.Start {
			d.fail()
		}
		maps = append(maps, m)
	}
	return maps
}

// appendOther appends the difference of a thread's registers and vector state.
func appendOther(b []byte, thread int, from, to *ptrace.Regs, vecFrom, vecTo []byte) []byte {
	b = binary.AppendUvarint(b, uint64(thread))
	b = appendRegs(b, from, to)
	b, _ = appendVector(b, vecFrom, vecTo)
	return b
}
