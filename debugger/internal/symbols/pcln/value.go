package pcln

import "cmp"

// maxStretches bounds how many stretches are looked at for one function, in all
// of its tables together: each of the calls inlined there has them looked at anew.
const maxStretches = 1 << 21

// value returns what a table of values holds for an address in the function.
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

// stretches goes through a table: values, each up to some address, as long as it
// is wanted. A table has pairs of differences, to the value and the address
// before, and ends with a value that does not change. At 0 there is no table.
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

// A reader takes numbers out of the file. Its first error sticks.
type reader struct {
	memory *pages
	addr   uint64
	page   []byte // from addr on
	err    error
}

// varint takes a number of variable length.
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
