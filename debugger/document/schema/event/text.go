package event

import (
	"bytes"
	"unicode/utf8"
)

// longText is the length of a piece of text that is reported before its end is known.
const longText = 16 << 10

// text reads a piece of character data that begins at the current position.
func (p *Parser) text(b []byte) (done bool, err error) {
	t := piece{Parser: p, b: b, brackets: p.brackets}
	for !t.full && err == nil {
		err = t.next()
	}
	if err == errShort {
		if t.i < longText && !p.ended() {
			return false, errShort
		}
		if t.i == 0 && !t.copied {
			return false, p.shortText()
		}
		err = nil
	}
	if err != nil {
		return false, err
	}
	return t.emit()
}

// shortText returns the error for a reference or character that the text ends in.
func (p *Parser) shortText() error { return p.unexpectedEnd() }

// A piece is character data on the way to an event.
type piece struct {
	*Parser
	b        []byte
	i        int  // bytes of b that were read
	copied   bool // the text is in scratch, since it differs from b
	full     bool // something else follows
	brackets int  // "]" before b[i]
	entity   *entity
}

// next reads a run of plain text, or one thing that is not.
func (t *piece) next() error {
	from := t.i
	for t.i < len(t.b) && byteClass[t.b[t.i]]&plainText != 0 {
		t.i++
	}
	if t.i > from {
		t.plain(t.b[from:t.i])
	}
	if t.i == len(t.b) {
		if t.ended() {
			t.full = true
			return nil
		}
		return errShort
	}
	switch c := t.b[t.i]; {
	case c == '<':
		t.full = true
		return nil
	case c == '>':
		if t.brackets >= 2 {
			return t.badEnd()
		}
		t.plain(t.b[t.i : t.i+1])
		t.i++
		return nil
	case c == '&':
		return t.reference()
	case c == '\r':
		return t.carriageReturn()
	}
	return t.wide()
}

// badEnd returns the error for the end of a CDATA section in text. Its brackets, which may
// be in the piece before, stand where the error is.
func (t *piece) badEnd() error {
	line, column := t.place(t.i)
	if t.in.entity == nil {
		column -= len("]]")
	}
	return &SyntaxError{line, column, "]]> is not permitted in text"}
}

// plain adds text that stands for itself.
func (t *piece) plain(text []byte) {
	if t.copied {
		t.scratch = append(t.scratch, text...)
	}
	n := len(text)
	if text[n-1] != ']' {
		t.brackets = 0
		return
	}
	i := n
	for i > 0 && text[i-1] == ']' {
		i--
	}
	if i > 0 {
		t.brackets = 0
	}
	t.brackets += n - i
}

// differs has the text copied from now on.
func (t *piece) differs() {
	if !t.copied {
		t.copied = true
		t.scratch = append(t.scratch[:0], t.b[:t.i]...)
	}
	t.brackets = 0
}

// wide reads characters outside ASCII.
func (t *piece) wide() error {
	from := t.i
	var err error
	for t.i < len(t.b) && t.b[t.i] >= utf8.RuneSelf {
		var size int
		if _, size, err = t.character(t.b[t.i:]); err != nil {
			break
		}
		t.i += size
	}
	if t.i > from {
		t.plain(t.b[from:t.i])
		return nil
	}
	if err == nil { // a control character
		err = errNoChar
	}
	if err == errShort {
		return err
	}
	return t.badCharacter(t.i, err)
}

// carriageReturn reads a line end. In an entity a CR stands for itself, since it is
// from a character reference.
func (t *piece) carriageReturn() error {
	if t.in.entity != nil {
		t.plain(t.b[t.i : t.i+1])
		t.i++
		return nil
	}
	if t.i+1 == len(t.b) && !t.ended() {
		return errShort
	}
	t.differs()
	t.scratch = append(t.scratch, '\n')
	t.i++
	if t.i < len(t.b) && t.b[t.i] == '\n' {
		t.i++
	}
	return nil
}

// reference reads a reference to a character or an entity.
func (t *piece) reference() error {
	ref, err := t.parseReference(t.b[t.i:], t.i)
	if err != nil {
		return err
	}
	if ref.entity == nil {
		t.differs()
		t.scratch = utf8.AppendRune(t.scratch, ref.char)
		t.i += ref.length
		return nil
	}
	t.full = true
	if t.i == 0 && !t.copied { // nothing before it to report
		t.entity = ref.entity
		t.i = ref.length
	}
	return nil
}

// emit makes the event of the text, or begins the entity that it starts with.
func (t *piece) emit() (done bool, err error) {
	p := t.Parser
	if t.entity != nil {
		return false, p.beginEntity(t.entity, t.i)
	}
	line, column := p.place(0)
	p.event = Event{Kind: Text, Line: line, Column: column, Text: t.b[:t.i]}
	if t.copied {
		p.event.Text = t.scratch
	}
	p.in.pos += t.i
	p.brackets = t.brackets
	return true, nil
}

// cdata reads a piece of a CDATA section.
func (p *Parser) cdata() (done bool, err error) {
	b := p.in.rest()
	end := bytes.Index(b, []byte("]]>"))
	n := end
	if end < 0 {
		n = max(0, len(b)-2)
	}
	n, cr, err := p.characters(b, n)
	if err != nil {
		return false, err
	}
	if end < 0 && (p.ended() || n < longText) {
		return false, errShort
	}
	line, column := p.place(0)
	p.event = Event{Kind: Text, Line: line, Column: column, Text: b[:n]}
	if cr && p.in.entity == nil {
		p.event.Text = p.lineEnds(b[:n])
	}
	p.in.pos += n
	if end == n {
		p.in.pos += len("]]>")
		p.state = inContent
	}
	return n > 0 || p.limits.Others, nil
}

// characters checks the characters of b[:n] and returns how many bytes are whole
// characters and lines, and whether there is a CR.
func (p *Parser) characters(b []byte, n int) (whole int, cr bool, err error) {
	for i := 0; i < n; {
		switch c := b[i]; {
		case c == '\r':
			cr = true
			i++
		case c >= ' ' && c < utf8.RuneSelf, c == '\t', c == '\n':
			i++
		default:
			_, size, err := p.character(b[i:])
			if err == errShort || err == nil && i+size > n {
				return p.wholeLines(b, i), cr, nil
			}
			if err != nil {
				return 0, false, p.badCharacter(i, err)
			}
			i += size
		}
	}
	return p.wholeLines(b, n), cr, nil
}

// wholeLines returns n without the CR of a line end that may be CR LF.
func (p *Parser) wholeLines(b []byte, n int) int {
	if n > 0 && n < len(b) && b[n-1] == '\r' && b[n] == '\n' || n > 0 && n == len(b) && b[n-1] == '\r' {
		return n - 1
	}
	return n
}

// lineEnds returns text with each line end as LF, in scratch.
func (p *Parser) lineEnds(text []byte) []byte {
	p.scratch = p.scratch[:0]
	for i, b := range text {
		switch {
		case b != '\r':
			p.scratch = append(p.scratch, b)
		case i+1 == len(text) || text[i+1] != '\n':
			p.scratch = append(p.scratch, '\n')
		}
	}
	return p.scratch
}
