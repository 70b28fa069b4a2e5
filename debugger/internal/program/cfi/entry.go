package cfi

import "errors"

// A cie is a common information entry, which many functions share (DWARF 5
// section 6.4.1).
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

// An fde is the frame description entry of one function.
type fde struct {
	cie        *cie
	start, end uint64
	program    []byte
}

// A record is an entry in the section, not yet decoded.
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
	r := read(s.Data[at:], s.Addr+at)
	rec := record{at: at}
	size := r.Fixed(4)
	if size == 0xffffffff {
		rec.is64, size = true, r.Fixed(8)
	}
	rec.finish = size == 0
	addr := r.Addr
	body := read(r.Take(size), addr)
	if r.Err != nil {
		return record{}, r.Err
	}
	rec.next = uint64(len(s.Data) - len(r.Data))
	rec.body = body
	if rec.finish {
		return rec, nil
	}
	s.identify(&rec)
	return rec, rec.body.Err
}

// identify reads the id of a record: in .eh_frame the distance back to the
// shared entry or zero, in .debug_frame its offset or all ones.
func (s *Section) identify(rec *record) {
	size := 4
	if rec.is64 && !s.EH {
		size = 8
	}
	field := rec.body.Addr - s.Addr
	id := rec.body.Fixed(size)
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
	version := r.Byte()
	if version != 1 && version != 3 && version != 4 {
		r.fail("frame information of version %d", version)
	}
	augmentation := r.Text()
	if version == 4 {
		if size := r.Byte(); size != 8 {
			r.fail("frame addresses of %d bytes", size)
		}
		r.Byte() // segment selectors are not used on this processor
	}
	c.codeAlign, c.dataAlign = r.ULEB(), r.SLEB()
	if version == 1 {
		c.ret = r.Byte()
	} else {
		c.ret = uint8(min(r.ULEB(), 255))
	}
	s.augment(c, augmentation, &r)
	c.initial = r.Data
	return c, r.Err
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
	data := r.Block()
	p := read(data, r.Addr-uint64(len(data)))
	for _, l := range letters[1:] {
		switch l {
		case 'R':
			c.pointers = p.Byte()
		case 'S':
			c.signal = true
		case 'P':
			p.pointer(p.Byte()&^encIndirect, bases{})
		case 'L':
			p.Byte()
		case 'B': // AArch64 only
		default:
			return
		}
	}
	if p.Err != nil {
		r.Err = p.Err
	}
}

// parseFDE decodes the entry of a function; its shared entry is known.
func parseFDE(rec record, c *cie, b bases) (fde, error) {
	r := rec.body
	f := fde{cie: c}
	f.start = r.pointer(c.pointers, b)
	f.end = f.start + r.raw(c.pointers&encFormat&^8)
	if c.hasData {
		r.Block()
	}
	f.program = r.Data
	if r.Err == nil && f.end < f.start {
		r.fail("frame entry %#x has a range that wraps", rec.at)
	}
	return f, r.Err
}
