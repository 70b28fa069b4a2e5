package pcln

import (
	"bytes"
	"encoding/binary"
	"sync"
)

// pages are the parts of a file that have been read.
type pages struct {
	read func(addr uint64, p []byte) error

	mu   sync.Mutex
	kept map[uint64][]byte // by number
}

const (
	pageSize = 4096
	maxPages = 1 << 12 // the cache is emptied when it is full
)

// page returns a page by its number.
func (m *pages) page(number uint64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p, ok := m.kept[number]; ok {
		return p, nil
	}
	p := make([]byte, pageSize)
	if err := m.read(number*pageSize, p); err != nil {
		return nil, err
	}
	if m.kept == nil || len(m.kept) >= maxPages {
		m.kept = map[uint64][]byte{}
	}
	m.kept[number] = p
	return p, nil
}

// rest returns the bytes from an address to the end of its page, which must
// not be changed.
func (m *pages) rest(addr uint64) ([]byte, error) {
	p, err := m.page(addr / pageSize)
	if err != nil {
		return nil, err
	}
	return p[addr%pageSize:], nil
}

// bytes returns n bytes, which must not be changed.
func (m *pages) bytes(addr, n uint64) ([]byte, error) {
	p, err := m.rest(addr)
	if err != nil || n <= uint64(len(p)) {
		return p[:min(n, uint64(len(p)))], err
	}
	rest, err := m.bytes(addr+uint64(len(p)), n-uint64(len(p)))
	return append(bytes.Clone(p), rest...), err
}

func (m *pages) uint32(addr uint64) (uint32, error) {
	b, err := m.bytes(addr, 4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

// maxText bounds the total length of the names of functions and files at an
// address.
const maxText = 16 << 10

// text returns the text up to a zero byte.
func (m *pages) text(addr uint64) (string, error) {
	var text []byte
	for len(text) < maxText {
		p, err := m.rest(addr)
		if err != nil {
			return "", err
		}
		if last, _, found := bytes.Cut(p, []byte{0}); found {
			return string(append(text, last...)), nil
		}
		text, addr = append(text, p...), addr+uint64(len(p))
	}
	return "", ErrFormat
}
