package interp

import (
	"encoding/binary"
)

// PageSize is the size of a page in bytes.
const PageSize = 1 << 12

// A Page is a copy of a page.
type Page struct {
	Data       [PageSize]byte
	Writable   bool
	Executable bool

	number uint64
	dirty  bool
	code   bool // it holds decoded instructions
}

// A Source loads pages.
type Source interface {
	// Load fills the page at addr, a multiple of PageSize, and sets its
	// permissions. It returns false if the page cannot be read.
	Load(addr uint64, page *Page) bool
}

// memory holds the pages that have been accessed.
type memory struct {
	source Source
	pages  map[uint64]*Page // nil if the page cannot be read
	dirty  []*Page          // pages that were written
	recent [recentSize]struct {
		number uint64
		page   *Page
	}
}

// recentSize is the size of the cache of pages, a power of two.
const recentSize = 64

func (m *memory) forget() {
	clear(m.pages)
	clear(m.dirty)
	m.dirty = m.dirty[:0]
	clear(m.recent[:])
}

// touch marks a page as written.
func (m *memory) touch(p *Page) {
	if !p.dirty {
		p.dirty = true
		m.dirty = append(m.dirty, p)
	}
}

// page returns the page with a number, loading it if need be, or nil if it cannot
// be read.
func (m *memory) page(number uint64) *Page {
	r := &m.recent[number&(recentSize-1)]
	if r.page != nil && r.number == number {
		return r.page
	}
	p, ok := m.pages[number]
	if !ok {
		p = &Page{number: number}
		if !m.source.Load(number*PageSize, p) {
			p = nil
		}
		m.pages[number] = p
	}
	r.number, r.page = number, p
	return p
}

// load reads n bytes, 1 to 8, as a little-endian number. It returns false if they
// cannot be read.
func (m *memory) load(addr uint64, n uint8) (uint64, bool) {
	p := m.page(addr / PageSize)
	if p == nil {
		return 0, false
	}
	at := addr % PageSize
	if at <= PageSize-8 {
		return binary.LittleEndian.Uint64(p.Data[at:at+8]) & mask(n), true
	}
	return m.loadBytes(addr, n)
}

func (m *memory) loadBytes(addr uint64, n uint8) (uint64, bool) {
	value := uint64(0)
	for k := range uint64(n) {
		p := m.page((addr + k) / PageSize)
		if p == nil {
			return 0, false
		}
		value |= uint64(p.Data[(addr+k)%PageSize]) << (8 * k)
	}
	return value, true
}

// writable reports whether n bytes may be written at addr.
func (m *memory) writable(addr uint64, n uint8) bool {
	first, last := m.page(addr/PageSize), m.page((addr+uint64(n)-1)/PageSize)
	return first != nil && last != nil && first.Writable && last.Writable
}

// put writes n bytes, which must be writable, and reports whether one of the
// pages holds decoded instructions.
func (m *memory) put(addr uint64, n uint8, value uint64) (code bool) {
	at := addr % PageSize
	if at > PageSize-8 {
		return m.putBytes(addr, n, value)
	}
	p := m.page(addr / PageSize)
	b := p.Data[at : at+8]
	switch n {
	case 8:
		binary.LittleEndian.PutUint64(b, value)
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(value))
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(value))
	default:
		b[0] = byte(value)
	}
	m.touch(p)
	return p.code
}

func (m *memory) putBytes(addr uint64, n uint8, value uint64) (code bool) {
	for k := range uint64(n) {
		p := m.page((addr + k) / PageSize)
		p.Data[(addr+k)%PageSize] = byte(value >> (8 * k))
		m.touch(p)
		code = code || p.code
	}
	return code
}

// fetch copies instruction bytes to dst and returns their number.
func (m *memory) fetch(addr uint64, dst []byte) int {
	for k := range dst {
		at := addr + uint64(k)
		p := m.page(at / PageSize)
		if p == nil || !p.Executable {
			return k
		}
		p.code = true
		dst[k] = p.Data[at%PageSize]
	}
	return len(dst)
}

// store writes n bytes and records the old contents. It returns false, with
// nothing written, if the bytes are not writable.
func (m *Machine) store(addr uint64, n uint8, value uint64) bool {
	if !m.memory.writable(addr, n) {
		return false
	}
	old, _ := m.memory.load(addr, n) // a writable page is readable
	m.writes = append(m.writes, Write{Addr: addr, Old: old, Size: n})
	m.stale = m.memory.put(addr, n, value) || m.stale
	return true
}
