package redact

import (
	"slices"

	"github.com/triptych-mcp/triptych/mcp/secrets"
)

// pageSize is the unit of searching. A secret that is longer than a page is masked as far
// as it is in the pages around what is shown.
const pageSize = 4 << 10

// maxPages limits the pages whose masks a Masker remembers.
const maxPages = 4 << 10

// A Masker masks the secrets in memory that a function reads.
type Masker struct {
	read  func(addr uint64, p []byte) int
	known *Known
	pages map[uint64][]span // by the address of the page
}

// A span is a masked part of a secret.
type span struct {
	addr uint64
	mask []byte
}

// New returns a Masker for memory that read reads: as much of p as is readable, and how
// many bytes that is. It adds the secrets that it finds to those that are known, and masks
// parts of them; known may be nil.
func New(read func(addr uint64, p []byte) int, known *Known) *Masker {
	return &Masker{read: read, known: known, pages: map[uint64][]span{}}
}

// Search adds the secrets around an address to those that are known.
func (m *Masker) Search(addr uint64) { m.spans(addr &^ (pageSize - 1)) }

// Mask overwrites the bytes of secrets in p, which was read at addr.
func (m *Masker) Mask(addr uint64, p []byte) {
	if len(p) == 0 {
		return
	}
	last := (addr + uint64(len(p)) - 1) &^ (pageSize - 1)
	for page := addr &^ (pageSize - 1); ; page += pageSize {
		for _, s := range m.spans(page) {
			overlay(addr, p, s)
		}
		if page == last {
			return
		}
	}
}

// overlay copies the part of a span that is in p.
func overlay(addr uint64, p []byte, s span) {
	switch {
	case s.addr >= addr && s.addr-addr < uint64(len(p)):
		copy(p[s.addr-addr:], s.mask)
	case s.addr < addr && addr-s.addr < uint64(len(s.mask)):
		copy(p, s.mask[addr-s.addr:])
	}
}

// spans returns the masked parts of a page.
func (m *Masker) spans(page uint64) []span {
	if found, ok := m.pages[page]; ok {
		return found
	}
	if len(m.pages) >= maxPages {
		clear(m.pages)
	}
	found := m.search(page)
	m.pages[page] = found
	return found
}

// widths are the sizes of characters in memory: of char, char16_t and wchar_t.
var widths = []int{1, 2, 4}

// search searches a page and its neighbours, and returns what is masked in the page.
func (m *Masker) search(page uint64) (found []span) {
	memory := make([]byte, 3*pageSize)
	readable := false
	for i := range uint64(3) {
		part := memory[i*pageSize : (i+1)*pageSize]
		n := max(0, m.read(page+(i-1)*pageSize, part))
		clear(part[min(n, len(part)):])
		readable = readable || n > 0
	}
	if !readable {
		return nil
	}
	for _, width := range widths {
		text := textOf(memory, width)
		for _, match := range m.overwrite(text) {
			from, to := max(match.From*width, pageSize), min(match.To*width, 2*pageSize)
			if from < to {
				found = append(found, span{page + uint64(from-pageSize), widened(text[from/width:to/width], width)})
			}
		}
	}
	return found
}

// overwrite overwrites the secrets in a text, and the parts of known ones, and returns
// where it did.
func (m *Masker) overwrite(text []byte) []secrets.Match {
	whole := slices.Clone(text)
	matches := secrets.MaskBytes(text, secrets.Data)
	for _, match := range matches {
		if match.Rule != secrets.Unsearched {
			m.known.Add(whole[match.From:match.To])
		}
	}
	parts := m.known.Find(text) // in text, as whole secrets have their own masks
	for _, match := range parts {
		for i := match.From; i < match.To; i++ {
			text[i] = '*'
		}
	}
	return append(matches, parts...)
}

// textOf returns the text in memory whose characters have so many bytes, with the end of a
// line in the place of each that is no text, so that a secret ends where a string does.
func textOf(memory []byte, width int) []byte {
	text := make([]byte, len(memory)/width)
	for i := range text {
		c := memory[i*width]
		for _, high := range memory[i*width+1 : (i+1)*width] {
			if high != 0 {
				c = 0
			}
		}
		if (c < ' ' || c > '~') && c != '\t' && c != '\r' {
			c = '\n'
		}
		text[i] = c
	}
	return text
}

// widened returns a text with characters of so many bytes.
func widened(text []byte, width int) []byte {
	out := make([]byte, len(text)*width)
	for i, c := range text {
		out[i*width] = c
	}
	return out
}
