package cfi

import "errors"

// A cie is what many functions' entries share (DWARF 5 section 6.4.1).
type cie struct {
	codeAlign uint64
	dataAlign int64
	ret       uint8
	signal    bool
	pointers  byte // encoding of addresses in the entries
	hasData   bool // entries carry augmentation data
	is64      bool
	initial   []byte
}

// An fde is the entry of one function.
type fde struct {
	cie        *cie
	start, end uint64
	program    []byte
}

// A record is an entry as it lies in the section, not yet decoded.
type record struct {
	at     uint64 // offset of the record
	next   uint64 // offset of the one behind it
	cie    uint64 // offset of the shared entry; meaningless when isCIE
	isCIE  bool
	is64   bool
	body   reader // behind the id
	finish bool   // the zero that ends .eh_frame
}

// record reads the frame of the record at an offset of the section.
func (s *Section) record(at uint64) (record, error) {
	if at >= uint64(len(s.Data)) {
		return record{}, errShort
	}
	r := reader{data: s.Data[at:], addr: s.Addr + at}
	rec := record{at: at}
	size := r.fixed(4)
	if size == 0xffffffff {
		rec.is64, size = true, r.fixed(8)
	}
	rec.finish = size == 0
	body := reader{addr: r.addr}
	body.data = r.take(size)
	if r.err != nil {
		return record{}, r.err
	}
	rec.next = uint64(len(s.Data) - len(r.data))
	rec.body = body
	if rec.finish {
		return rec, nil
	}
	s.identify(&rec)
	return rec, rec.body.err
}

// identify reads the id of a record: in .eh_frame the distance back to the
// shared entry or zero, in .debug_frame its offset or all ones.
func (s *Section) identify(rec *record) {
	size := 4
	if rec.is64 && !s.EH {
		size = 8
	}
	field := rec.body.addr - s.Addr
	id := rec.body.fixed(size)
	if s.EH {
		rec.isCIE, rec.cie = id == 0, field-id
		return
	}
	rec.isCIE = id == 1<<(8*size)-1 || (size == 8 && id == ^uint64(0))
	rec.cie = id
}

// parseCIE decodes a shared entry.
func (s *Section) parseCIE(rec record) (*cie, error) {
	if !rec.isCIE {
		return nil, errors.New("frame entry refers to no shared entry")
	}
	r := rec.body
	c := &cie{pointers: encAbsolute, is64: rec.is64}
	version := r.byte()
	if version != 1 && version != 3 && version != 4 {
		r.fail("frame information of version %d", version)
	}
	augmentation := r.cstring()
	if version == 4 {
		if size := r.byte(); size != 8 {
			r.fail("frame addresses of %d bytes", size)
		}
		r.byte() // segment selectors are not used on this processor
	}
	c.codeAlign, c.dataAlign = r.uleb(), r.sleb()
	if version == 1 {
		c.ret = r.byte()
	} else {
		c.ret = uint8(min(r.uleb(), 255))
	}
	s.augment(c, augmentation, &r)
	c.initial = r.data
	return c, r.err
}

// augment reads the data that an augmentation string announces. With a z in
// front the data has a length, so letters we do not know do no harm.
func (s *Section) augment(c *cie, letters string, r *reader) {
	if letters == "" {
		return
	}
	if letters[0] != 'z' {
		r.fail("frame augmentation %q", letters)
		return
	}
	c.hasData = true
	p := reader{data: r.block()}
	p.addr = r.addr - uint64(len(p.data))
	for _, l := range letters[1:] {
		switch l {
		case 'R':
			c.pointers = p.byte()
		case 'S':
			c.signal = true
		case 'P':
			p.pointer(p.byte()&^encIndirect, bases{})
		case 'L':
			p.byte()
		case 'B': // AArch64 only
		default:
			return
		}
	}
	if p.err != nil {
		r.err = p.err
	}
}

// parseFDE decodes the entry of a function; its shared entry is known.
func parseFDE(rec record, c *cie, b bases) (fde, error) {
	r := rec.body
	f := fde{cie: c}
	f.start = r.pointer(c.pointers, b)
	f.end = f.start + r.raw(c.pointers&encFormat&^8)
	if c.hasData {
		r.block()
	}
	f.program = r.data
	if r.err == nil && f.end < f.start {
		r.fail("frame entry %#x has a range that wraps", rec.at)
	}
	return f, r.err
}
