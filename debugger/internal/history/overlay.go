package history

// pageSize is the size of the pieces in which the past is kept.
const pageSize = 1 << 12

type page [pageSize]byte

// An overlay is the memory of a moment in the past where it may differ from
// that of the present.
type overlay struct {
	base  func(addr uint64, b []byte) (int, error)
	pages map[uint64]*page

	number uint64 // of the page used last
	last   *page  // nil: none
}

// clear forgets everything: the past is the present.
func (o *overlay) clear() {
	clear(o.pages)
	o.last = nil
}

// page returns a page, made of the present's. What cannot be read is zero: so
// is memory when it is mapped.
func (o *overlay) page(number uint64) *page {
	if o.last != nil && o.number == number {
		return o.last
	}
	p := o.pages[number]
	if p == nil {
		p = new(page)
		n, _ := o.base(number*pageSize, p[:])
		clear(p[n:])
		if o.pages == nil {
			o.pages = make(map[uint64]*page)
		}
		o.pages[number] = p
	}
	o.number, o.last = number, p
	return p
}

// swap exchanges memory with data.
func (o *overlay) swap(addr uint64, data []byte) {
	for len(data) > 0 {
		at := addr % pageSize
		piece := o.page(addr / pageSize)[at:]
		n := min(len(piece), len(data))
		for i, c := range data[:n] {
			data[i], piece[i] = piece[i], c
		}
		addr, data = addr+uint64(n), data[n:]
	}
}

// read reads from one page: at most to its end. The result is false if the
// page is as in the present.
func (o *overlay) read(addr uint64, b []byte) (int, bool) {
	p := o.pages[addr/pageSize]
	if p == nil {
		return 0, false
	}
	return copy(b, p[addr%pageSize:]), true
}
