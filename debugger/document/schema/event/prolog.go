package event

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"sync"
)

// begin reads the byte-order mark and the XML declaration.
func (p *Parser) begin() error {
	if err := p.skipBOM(); err != nil {
		return err
	}
	b := p.in.rest()
	const head = "<?xml"
	if len(b) <= len(head) && !p.ended() {
		return errShort
	}
	p.state = beforeDoctype
	if len(b) <= len(head) || !bytes.HasPrefix(b, []byte(head)) || !isSpace(b[len(head)]) {
		return nil
	}
	end := bytes.Index(b, []byte("?>"))
	if end < 0 {
		p.state = beforeAll
		return errShort
	}
	if !xmlDeclaration().Match(b[len(head):end]) {
		return p.fail(0, "the XML declaration is wrong")
	}
	// Documents that say to be of XML 1.1 are read as those of XML 1.0, but may have these
	// references (XML 1.1, section 2.2).
	p.controls = bytes.Contains(b[len(head):end], []byte("1.1"))
	p.in.pos += end + len("?>")
	return nil
}

// xmlDeclaration matches what stands between <?xml and ?> (XML 1.0, section 2.8).
var xmlDeclaration = sync.OnceValue(func() *regexp.Regexp {
	const s, eq = `[ \t\r\n]+`, `[ \t\r\n]*=[ \t\r\n]*`
	quoted := func(value string) string { return `(?:"` + value + `"|'` + value + `')` }
	return regexp.MustCompile(`^` + s + `version` + eq + quoted(`1\.[0-9]+`) +
		`(?:` + s + `encoding` + eq + quoted(`[A-Za-z][A-Za-z0-9._-]*`) + `)?` +
		`(?:` + s + `standalone` + eq + quoted(`(?:yes|no)`) + `)?[ \t\r\n]*$`)
})

// misc reads one construct outside the root element.
func (p *Parser) misc() (done bool, err error) {
	p.in.pos += spaces(p.in.rest())
	b := p.in.rest()
	switch {
	case len(b) == 0 && p.ended() && p.state == afterRoot:
		return false, io.EOF
	case len(b) == 0:
		return false, errShort
	case b[0] != '<' && p.state == afterRoot:
		return false, p.fail(0, "text follows the root element")
	case b[0] != '<':
		return false, p.fail(0, "the document does not begin with a tag")
	case len(b) < 2:
		return false, errShort
	case b[1] == '!' && p.state == beforeDoctype && len(b) > 2 && b[2] == 'D':
		return false, p.readDoctype(b)
	case b[1] == '!' || b[1] == '?':
		return false, p.markup(b)
	case p.state == afterRoot:
		return false, p.fail(0, "markup follows the root element")
	}
	return true, p.startTag(b)
}

// markup begins a comment, a processing instruction or a CDATA section.
func (p *Parser) markup(b []byte) error {
	for _, m := range []struct {
		begin string
		state state
	}{{"<!--", inComment}, {"<![CDATA[", inCDATA}} {
		switch {
		case m.state == inCDATA && p.state != inContent:
		case bytes.HasPrefix(b, []byte(m.begin)):
			p.back, p.state = p.state, m.state
			p.in.pos += len(m.begin)
			return nil
		case strings.HasPrefix(m.begin, string(b[:min(len(b), len(m.begin))])):
			return errShort
		}
	}
	if b[1] == '?' {
		return p.beginInstruction(b)
	}
	if len(b) < len("<!DOCTYPE") && !p.ended() {
		return errShort
	}
	if bytes.HasPrefix(b, []byte("<!DOCTYPE")) {
		return p.fail(0, "a document type declaration is not permitted here")
	}
	return p.fail(1, "! does not begin a comment or a CDATA section")
}

// beginInstruction reads the target of a processing instruction.
func (p *Parser) beginInstruction(b []byte) error {
	end, err := p.nameEnd(b, 2)
	if err != nil {
		return err
	}
	if strings.EqualFold(string(b[2:end]), "xml") {
		return p.fail(0, "the XML declaration is permitted at the start of the document only")
	}
	if end+1 == len(b) && !p.ended() {
		return errShort
	}
	if !isSpace(b[end]) && !bytes.HasPrefix(b[end:], []byte("?>")) {
		return p.fail(end, "white space must follow the target of a processing instruction")
	}
	p.back, p.state = p.state, inInstruction
	p.in.pos += end
	return nil
}

// other makes the event of a comment or a processing instruction that ended.
func (p *Parser) other(err error) (done bool, _ error) {
	if err != nil || !p.limits.Others || p.state != inContent {
		return false, err
	}
	p.event = Event{Kind: Other, Attrs: p.event.Attrs[:0]}
	return true, nil
}

// comment reads a piece of a comment.
func (p *Parser) comment() error {
	b := p.in.rest()
	end := bytes.Index(b, []byte("--"))
	if end < 0 {
		return p.drop(b, len(b)-1)
	}
	if end+2 == len(b) {
		return errShort
	}
	if n, _, err := p.characters(b, end); err != nil || n < 0 {
		return err
	}
	if b[end+2] != '>' {
		return p.fail(end, "-- is not permitted in a comment")
	}
	p.in.pos += end + len("-->")
	p.state = p.back
	return nil
}

// instruction reads a piece of a processing instruction.
func (p *Parser) instruction() error {
	b := p.in.rest()
	end := bytes.Index(b, []byte("?>"))
	if end < 0 {
		return p.drop(b, len(b)-1)
	}
	if _, _, err := p.characters(b, end); err != nil {
		return err
	}
	p.in.pos += end + len("?>")
	p.state = p.back
	return nil
}

// drop checks the first n bytes of b and drops the whole characters among them.
func (p *Parser) drop(b []byte, n int) error {
	n, _, err := p.characters(b, max(0, n))
	if err != nil {
		return err
	}
	p.in.pos += n
	return errShort
}
