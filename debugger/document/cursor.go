package document

import (
	"bytes"
	"unicode/utf8"
)

// A cursor counts lines and characters of UTF-8 text. Lines end as in XML: with
// LF, CR LF, or CR alone (XML 1.0, section 2.11).
type cursor struct {
	lines   int  // line ends passed
	columns int  // characters since the last line end
	cr      bool // the last byte was a CR
}

// place returns the line and column of the cursor, both from 1.
func (c *cursor) place() (line, column int) { return c.lines + 1, c.columns + 1 }

// advance moves the cursor over text.
func (c *cursor) advance(text []byte) {
	for len(text) > 0 {
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 {
			c.columns += utf8.RuneCount(text)
			c.cr = false
			return
		}
		afterCR := c.cr && end == 0
		c.cr = text[end] == '\r'
		if !afterCR || text[end] == '\r' {
			c.lines++
		}
		c.columns = 0
		text = text[end+1:]
	}
}
