package location

import (
	"errors"
	"fmt"
)

// Entries of location lists (DWARF 5 section 7.7.3).
const (
	lleEnd           = 0
	lleBaseAddressx  = 1
	lleStartxEndx    = 2
	lleStartxLength  = 3
	lleOffsetPair    = 4
	lleDefault       = 5
	lleBaseAddress   = 6
	lleStartEnd      = 7
	lleStartLength   = 8
	lleViewPair      = 9 // GNU: numbers of line views, of no use here
	maxEntries       = 1 << 16
	baseSelection    = ^uint64(0)
	bytesOfListIndex = 4
)

// GNUSplit is the version of a list in .debug_loc.dwo, the form that GNU compilers
// write for DWARF 4.
const GNUSplit = -4

// A List holds the location lists of one unit.
type List struct {
	Data    []byte                             // .debug_loclists for DWARF 5, else .debug_loc
	Version int                                // of the unit, or GNUSplit
	Base    uint64                             // address that offsets count from: the unit's low_pc
	Index   uint64                             // DW_AT_loclists_base, for attributes that are indexes
	Address func(index uint64) (uint64, error) // .debug_addr
}

// An entry is one line of a list.
type entry struct {
	start, end uint64
	expr       []byte
	fallback   bool
}

// Find returns the expression that is valid at an address of the file, from
// the list at an offset of the section. It is nil when no entry has the
// address: the object is optimized out there.
func (l *List) Find(offset, pc uint64) ([]byte, error) {
	var found, fallback []byte
	err := l.each(offset, func(e entry) bool {
		switch {
		case e.fallback:
			fallback = e.expr
		case pc >= e.start && pc < e.end:
			found = e.expr
			return false
		}
		return true
	})
	if found == nil {
		found = fallback
	}
	return found, err
}

// At returns the offset of a list by its index.
func (l *List) At(index uint64) (uint64, error) {
	at := l.Index + index*bytesOfListIndex
	if at < l.Index || at >= uint64(len(l.Data)) {
		return 0, errShort
	}
	r := read(l.Data[at:])
	off := r.Fixed(bytesOfListIndex)
	return l.Index + off, r.Err
}

func (l *List) each(offset uint64, f func(entry) bool) error {
	if offset >= uint64(len(l.Data)) {
		return errShort
	}
	next := l.next4
	switch {
	case l.Version == GNUSplit:
		next = l.nextGNU
	case l.Version >= 5:
		next = l.next5
	}
	r := read(l.Data[offset:])
	base := l.Base
	for range maxEntries {
		e, more := next(&r, &base)
		if r.Err != nil || !more {
			return r.Err
		}
		if e != nil && !f(*e) {
			return nil
		}
	}
	return errLong
}

// next4 reads an entry of .debug_loc: two offsets and an expression.
func (l *List) next4(r *reader, base *uint64) (*entry, bool) {
	start, end := r.Fixed(8), r.Fixed(8)
	switch {
	case start == 0 && end == 0:
		return nil, false
	case start == baseSelection:
		*base = end
		return nil, true
	}
	expr := r.Take(r.Fixed(2))
	return &entry{start: *base + start, end: *base + end, expr: expr}, true
}

// nextGNU reads an entry of .debug_loc.dwo. Its kinds are some of DWARF 5; lengths of
// code have 4 bytes, those of expressions 2.
func (l *List) nextGNU(r *reader, base *uint64) (*entry, bool) {
	var e entry
	switch kind := r.Fixed(1); kind {
	case lleEnd:
		return nil, false
	case lleBaseAddressx:
		*base = l.index(r)
		return nil, true
	case lleStartxEndx:
		e.start, e.end = l.index(r), l.index(r)
	case lleStartxLength:
		e.start = l.index(r)
		e.end = e.start + r.Fixed(4)
	case lleOffsetPair:
		e.start, e.end = *base+r.Fixed(4), *base+r.Fixed(4)
	default:
		r.Err = fmt.Errorf("location list entry %#x", kind)
		return nil, false
	}
	e.expr = r.Take(r.Fixed(2))
	return &e, true
}

// next5 reads an entry of .debug_loclists.
func (l *List) next5(r *reader, base *uint64) (*entry, bool) {
	var e entry
	switch kind := r.Fixed(1); kind {
	case lleEnd:
		return nil, false
	case lleBaseAddressx:
		*base = l.index(r)
		return nil, true
	case lleBaseAddress:
		*base = r.Fixed(8)
		return nil, true
	case lleViewPair:
		r.ULEB()
		r.ULEB()
		return nil, true
	case lleStartxEndx:
		e.start, e.end = l.index(r), l.index(r)
	case lleStartxLength:
		e.start = l.index(r)
		e.end = e.start + r.ULEB()
	case lleOffsetPair:
		e.start, e.end = *base+r.ULEB(), *base+r.ULEB()
	case lleDefault:
		e.fallback = true
	case lleStartEnd:
		e.start, e.end = r.Fixed(8), r.Fixed(8)
	case lleStartLength:
		e.start = r.Fixed(8)
		e.end = e.start + r.ULEB()
	default:
		r.Err = fmt.Errorf("location list entry %#x", kind)
		return nil, false
	}
	e.expr = r.Block()
	return &e, true
}

// index reads the index of an address and looks it up.
func (l *List) index(r *reader) uint64 {
	i := r.ULEB()
	if r.Err != nil {
		return 0
	}
	if l.Address == nil {
		r.Err = errors.New("location list needs .debug_addr")
		return 0
	}
	v, err := l.Address(i)
	if err != nil {
		r.Err = err
	}
	return v
}
