package dwarfread

import (
	"debug/elf"
	"errors"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// A sectionPrefix holds the beginning of a section, which grows as needed.
type sectionPrefix struct {
	section *elf.Section
	account *budget.Account
	size    uint64
	reader  io.Reader // continues after data
	data    []byte
}

// slice returns n bytes at an offset, reading them if need be.
func (p *sectionPrefix) slice(offset, n uint64) ([]byte, error) {
	end := offset + n
	if end < offset || end > p.size || end > maxEarly {
		return nil, errNotEarly
	}
	if end > uint64(len(p.data)) {
		if err := p.grow(end); err != nil {
			return nil, err
		}
	}
	return p.data[offset:end], nil
}

// readAhead is the minimum number of bytes to decompress at once.
const readAhead = 1 << 16

func (p *sectionPrefix) grow(end uint64) error {
	end = min(max(end, uint64(len(p.data))+readAhead), p.size)
	return elffile.CatchPanic(func() error {
		if p.reader == nil {
			p.reader = p.section.Open()
		}
		data := p.data[:min(end, uint64(cap(p.data)))]
		if end > uint64(cap(p.data)) {
			more := min(p.size, max(end, uint64(2*cap(p.data))))
			if err := p.account.Take(int64(more)); err != nil {
				return err
			}
			data = append(make([]byte, 0, more), p.data...)[:end]
			p.account.Give(int64(cap(p.data)))
		}
		n, err := io.ReadFull(p.reader, data[len(p.data):])
		p.data = data[:len(p.data)+n]
		return err
	})
}

var errNotEarly = errors.New("the unit cannot be read by itself")

// maxEarly limits the part of a section that is read for single units.
const maxEarly = 64 << 20
