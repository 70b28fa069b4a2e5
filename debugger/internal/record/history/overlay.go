package history

import (
	"errors"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// pageSize is the size of a page of the overlay.
const pageSize = 1 << 12

type page [pageSize]byte

// pageCost is the memory that a page takes in a map.
const pageCost = pageSize + 64

// An overlay holds the pages of the past that may differ from the present.
type overlay struct {
	base  func(addr uint64, b []byte) (int, error)
	pages map[uint64]*page
	room  Room // that the pages are taken from

	number uint64 // of last
	last   *page  // the page used last, or nil
}

// clear drops all pages.
func (o *overlay) clear() {
	give(o.room, len(o.pages)*pageCost)
	clear(o.pages)
	o.last = nil
}

// page returns a page of the overlay, or nil.
func (o *overlay) page(number uint64) *page {
	if o.last != nil && o.number == number {
		return o.last
	}
	p := o.pages[number]
	if p != nil {
		o.number, o.last = number, p
	}
	return p
}

// load copies the pages of some memory from the present, unless the overlay has them. Memory
// that is not mapped there is zero, as new mappings are.
func (o *overlay) load(addr uint64, size int) error {
	for size > 0 {
		if err := o.loadPage(addr / pageSize); err != nil {
			return err
		}
		n := pageSize - addr%pageSize
		addr, size = addr+n, size-int(n)
	}
	return nil
}

func (o *overlay) loadPage(number uint64) error {
	if o.page(number) != nil {
		return nil
	}
	if err := take(o.room, pageCost); err != nil {
		return err
	}
	p := new(page)
	n, err := o.base(number*pageSize, p[:])
	if err != nil && !isAbsent(err) {
		give(o.room, pageCost)
		return err
	}
	clear(p[n:])
	if o.pages == nil {
		o.pages = make(map[uint64]*page)
	}
	o.pages[number] = p
	return nil
}

// isAbsent reports whether memory could not be read because nothing is mapped there, and not
// because the process has ended or cannot be read now.
func isAbsent(err error) bool {
	_, ok := errors.AsType[*ptrace.AccessError](err)
	return ok && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ptrace.ErrGone)
}

// swap exchanges the contents of memory, which was loaded, and data.
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

// read reads up to the end of the page. It returns false if the overlay does not
// have the page.
func (o *overlay) read(addr uint64, b []byte) (int, bool) {
	p := o.pages[addr/pageSize]
	if p == nil {
		return 0, false
	}
	return copy(b, p[addr%pageSize:]), true
}
