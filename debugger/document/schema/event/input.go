package event

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// errShort reports that a construct goes on behind the end of the buffer.
var errShort = errors.New("the buffer ends inside a construct")

const (
	firstBuffer = 64 << 10
	noProgress  = 100 // reads without a byte before io.ErrNoProgress
)

// An input is the text that is being read: that of the document, or the replacement
// text of an entity.
type input struct {
	buf    []byte
	pos    int
	entity *entity // nil for the document
	depth  int     // open elements where the entity began
}

func (in *input) rest() []byte { return in.buf[in.pos:] }

// A mark is a position of the document: an offset in the buffer, and its line and
// column.
type mark struct {
	offset       int
	line, column int  // from 0
	cr           bool // the character before it is a CR
}

// advance moves the mark over text.
func (m *mark) advance(text []byte) {
	m.offset += len(text)
	if m.cr && len(text) > 0 && text[0] == '\n' {
		text = text[1:]
	}
	if len(text) == 0 {
		return
	}
	m.cr = false
	for i, b := range text {
		switch {
		case b == '\n', b == '\r' && (i+1 == len(text) || text[i+1] != '\n'):
			m.line, m.column = m.line+1, 0
		case b != '\r' && b&0xC0 != 0x80:
			m.column++
		}
	}
	m.cr = text[len(text)-1] == '\r'
}

// more reads more of the document behind what is in the buffer. It returns
// io.ErrUnexpectedEOF if there is no more.
func (p *Parser) more() error {
	if p.in.entity != nil || p.eof {
		return io.ErrUnexpectedEOF
	}
	p.makeRoom()
	if len(p.in.buf) > p.limits.Tag {
		return p.limit("size of one tag", int64(p.limits.Tag))
	}
	for range noProgress {
		n, err := p.reader.Read(p.in.buf[len(p.in.buf):cap(p.in.buf)])
		p.in.buf = p.in.buf[:len(p.in.buf)+n]
		p.read += int64(n)
		if p.limits.Size > 0 && p.read > p.limits.Size {
			return p.limit("size in bytes", p.limits.Size)
		}
		if err == io.EOF {
			p.eof = true
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
	}
	return io.ErrNoProgress
}

// makeRoom drops what was read from the buffer and enlarges a buffer that one
// construct fills.
func (p *Parser) makeRoom() {
	p.here.advance(p.in.buf[p.here.offset:p.in.pos])
	if p.in.pos > 0 {
		n := copy(p.in.buf, p.in.rest())
		p.in.buf, p.in.pos, p.here.offset = p.in.buf[:n], 0, 0
	}
	if free := cap(p.in.buf) - len(p.in.buf); free < cap(p.in.buf)/2 || free == 0 {
		grown := make([]byte, len(p.in.buf), max(firstBuffer, 2*cap(p.in.buf)))
		copy(grown, p.in.buf)
		p.in.buf = grown
	}
}

// place returns the line and column of the byte at an offset from the current
// position.
func (p *Parser) place(offset int) (line, column int) {
	m := p.moved(offset)
	return m.line + 1, m.column + 1
}

// moved returns the mark of the byte at an offset from the current position. Inside
// an entity it is that of the reference in the document.
func (p *Parser) moved(offset int) mark {
	if p.in.entity != nil {
		return p.here
	}
	p.here.advance(p.in.buf[p.here.offset:p.in.pos])
	m := p.here
	m.advance(p.in.buf[p.in.pos:min(p.in.pos+offset, len(p.in.buf))])
	return m
}

// skipBOM drops a byte-order mark.
func (p *Parser) skipBOM() error {
	for len(p.in.rest()) < 3 && !p.eof {
		if err := p.more(); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(p.in.rest(), []byte("\uFEFF")) {
		p.in.pos += 3
		p.here.offset = p.in.pos
	}
	return nil
}

// ended reports whether there is nothing behind the buffer.
func (p *Parser) ended() bool { return p.in.entity != nil || p.eof }

// character decodes the character at the start of text and reports whether XML
// permits it. It returns errShort if the text ends inside it.
func (p *Parser) character(text []byte) (r rune, size int, err error) {
	r, size = utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && size <= 1:
		if !utf8.FullRune(text) && !p.ended() {
			return 0, 0, errShort
		}
		return r, size, errNotUTF8
	case !isChar(r):
		return r, size, errNoChar
	}
	return r, size, nil
}

var (
	errNotUTF8 = errors.New("byte is not UTF-8")
	errNoChar  = errors.New("character is not permitted")
)
