package pcln

import "cmp"

// maxStretches bounds the ranges that are read for one function, in all of its
// tables together. Tables are read anew for each inlined call.
const maxStretches = 1 << 21

// value returns the entry of a table of values for an address in the function.
func (f *Function) value(table uint32, pc uint64) (value int32, err error) {
	found := false
	err = f.stretches(table, func(v int32, from, to uint64) bool {
		value, found = v, pc < to
		return !found
	})
	if err == nil && !found {
		err = ErrFormat
	}
	return value, err
}

// stretches visits the ranges of a table, each with a value and an end, while
// visit returns true. A table consists of pairs of differences, of the value
// and the address, and ends with a difference of zero in the value. Offset 0
// means no table.
func (f *Function) stretches(table uint32, each func(value int32, from, to uint64) bool) error {
	if table == 0 {
		return ErrFormat
	}
	r := reader{memory: &f.table.memory, addr: f.table.values + uint64(table)}
	value, at := int32(-1), f.Start
	for n := 0; f.left > 0; n++ {
		f.left--
		change := r.varint()
		if change == 0 && n > 0 {
			return r.err
		}
		value += int32(change>>1) ^ -int32(change&1)
		end := at + uint64(r.varint())
		if r.err != nil || end == at {
			return cmp.Or(r.err, ErrFormat)
		}
		if !each(value, at, end) {
			return nil
		}
		at = end
	}
	return ErrFormat
}

// A reader reads numbers from the file. It keeps the first error.
type reader struct {
	memory *pages
	addr   uint64
	page   []byte // from addr on
	err    error
}

// varint reads a number of variable length.
func (r *reader) varint() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint32(b&0x7f) << shift
		if b&0x80 == 0 {
			return v
		}
	}
	r.err = ErrFormat
	return 0
}

func (r *reader) byte() byte {
	if len(r.page) == 0 && r.err == nil {
		r.page, r.err = r.memory.rest(r.addr)
	}
	if r.err != nil {
		return 0
	}
	b := r.page[0]
	r.page, r.addr = r.page[1:], r.addr+1
	return b
}
