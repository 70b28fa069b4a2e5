package cfi

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"sort"
	"sync"
)

// ErrNotCovered is returned when the section describes no function at an
// address.
var ErrNotCovered = errors.New("no frame information for that address")

// A Section is one section of call frame information as the file has it.
type Section struct {
	Data []byte
	Addr uint64 // of Data in the file's address space
	EH   bool   // .eh_frame, else .debug_frame

	// Hdr is .eh_frame_hdr, or nil.
	Hdr     []byte
	HdrAddr uint64
}

// A Table finds rows in a section.
type Table struct {
	s Section

	mu   sync.Mutex
	cies map[uint64]*cie
	all  []span // sorted; made when first needed and there is no Hdr
	read bool
	rows map[uint64]*Row // by address; nil where there is none
}

// maxRows bounds the cache of rows, which is emptied when it is full.
const maxRows = 1 << 16

// A span is a function in the list that replaces .eh_frame_hdr.
type span struct{ start, end, at uint64 }

// New returns a table over a section. It reads nothing yet.
func New(s Section) *Table {
	return &Table{s: s, cies: map[uint64]*cie{}, rows: map[uint64]*Row{}}
}

// Row returns the rules at an address of the file. The row is shared and must
// not be changed. The error is [ErrNotCovered] where no function is.
func (t *Table) Row(pc uint64) (*Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if row, ok := t.rows[pc]; ok {
		if row == nil {
			return nil, ErrNotCovered
		}
		return row, nil
	}
	row, err := t.rowLocked(pc)
	if err != nil && !errors.Is(err, ErrNotCovered) {
		return nil, err
	}
	if len(t.rows) >= maxRows {
		clear(t.rows)
	}
	t.rows[pc] = row
	return row, err
}

func (t *Table) rowLocked(pc uint64) (*Row, error) {
	at, err := t.find(pc)
	if err != nil {
		return nil, err
	}
	f, err := t.function(at)
	if err != nil {
		return nil, err
	}
	if pc < f.start || pc >= f.end {
		return nil, ErrNotCovered
	}
	return f.run(pc, t.bases(f.start))
}

func (t *Table) bases(function uint64) bases {
	return bases{data: t.s.HdrAddr, function: function}
}

// find returns the offset of the record for an address.
func (t *Table) find(pc uint64) (uint64, error) {
	if h, ok := t.s.header(); ok {
		return h.find(pc, t.s.Addr)
	}
	if !t.read {
		t.all, t.read = t.list(), true
	}
	i := sort.Search(len(t.all), func(i int) bool { return t.all[i].start > pc }) - 1
	if i < 0 || pc >= t.all[i].end {
		return 0, ErrNotCovered
	}
	return t.all[i].at, nil
}

// list reads the whole section once, up to the first damaged record.
func (t *Table) list() []span {
	var all []span
	for at := uint64(0); at < uint64(len(t.s.Data)); {
		rec, err := t.s.record(at)
		if err != nil || rec.next <= at {
			break
		}
		at = rec.next
		if rec.isCIE || rec.finish {
			continue // crtend.o ends .eh_frame, others may follow it in a bad link
		}
		if f, err := t.decode(rec); err == nil && f.end > f.start {
			all = append(all, span{f.start, f.end, rec.at})
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return all
}

// function decodes the record of a function at an offset.
func (t *Table) function(at uint64) (fde, error) {
	rec, err := t.s.record(at)
	if err != nil {
		return fde{}, err
	}
	if rec.isCIE || rec.finish {
		return fde{}, ErrNotCovered
	}
	return t.decode(rec)
}

func (t *Table) decode(rec record) (fde, error) {
	c, ok := t.cies[rec.cie]
	if !ok {
		shared, err := t.s.record(rec.cie)
		if err != nil {
			return fde{}, err
		}
		if c, err = t.s.parseCIE(shared); err != nil {
			return fde{}, err
		}
		t.cies[rec.cie] = c
	}
	return parseFDE(rec, c, t.bases(0))
}

// A header is the sorted table of .eh_frame_hdr (Linux Standard Base 5.0,
// section 10.6.2): pairs of the function's and the record's address.
type header struct {
	table []byte
	base  uint64
}

const (
	headerEncoding = 0x3b // relative to the header, signed, four bytes: all linkers write that
	headerPair     = 8
)

// header decodes .eh_frame_hdr. It returns nil for a form that linkers do not
// write.
func (s *Section) header() (header, bool) {
	if len(s.Hdr) < 4 || s.Hdr[0] != 1 || s.Hdr[3] != headerEncoding {
		return header{}, false
	}
	r := read(s.Hdr[4:], s.HdrAddr+4)
	r.pointer(s.Hdr[1], bases{data: s.HdrAddr})
	n := r.pointer(s.Hdr[2]&encFormat, bases{})
	if r.Err != nil || n == 0 || n > uint64(len(r.Data))/headerPair {
		return header{}, false
	}
	return header{r.Data[:n*headerPair], s.HdrAddr}, true
}

func (h header) word(i int) uint64 {
	return h.base + uint64(int64(int32(binary.LittleEndian.Uint32(h.table[i:]))))
}

// find returns the offset of a record in the section that starts at an address.
func (h header) find(pc, section uint64) (uint64, error) {
	n := len(h.table) / headerPair
	i := sort.Search(n, func(i int) bool { return h.word(i*headerPair) > pc }) - 1
	if i < 0 {
		return 0, ErrNotCovered
	}
	return h.word(i*headerPair+4) - section, nil
}
