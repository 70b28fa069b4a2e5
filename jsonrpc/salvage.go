package jsonrpc

import "bytes"

// An idFinder reads the id of a message that is not decoded: one that is too long, nested
// too deeply or not in UTF-8. It looks at brackets, quotes and the members of the outermost
// object alone, takes the text in pieces of any size, and needs little memory whatever the
// text is.
type idFinder struct {
	depth    int
	object   bool // the outermost value is an object
	inString bool
	escaped  bool // the last byte was a backslash in a string
	token    []byte
	key      []byte
	found    []byte // the value of the member id
	ids      int    // how many there were
}

// maxToken is the length of a literal in the outermost object from which on it is taken for
// no id.
const maxToken = 64 << 10

// feed reads on and returns the index after the byte that ends the outermost value, -1
// while it has not ended. It must not be called after that.
func (f *idFinder) feed(text []byte) int {
	for i, c := range text {
		if f.inString {
			f.inside(c)
			if f.depth == 0 && !f.inString {
				return i + 1
			}
			continue
		}
		switch c {
		case '"':
			f.inString = true
			f.keep(c)
		case '{', '[':
			f.keep(c)
			f.object = f.object || f.depth == 0 && c == '{'
			f.depth++
		case '}', ']':
			if f.depth == 1 {
				f.endMember()
			}
			if f.depth--; f.depth <= 0 {
				return i + 1
			}
		case ',':
			if f.depth == 1 {
				f.endMember()
			}
		case ':':
			if f.depth == 1 {
				f.key, f.token = bytes.TrimRight(f.token, " "), nil
			}
		case ' ', '\t', '\r', '\n':
			if len(f.token) > 0 {
				f.keep(' ')
			}
		default:
			f.keep(c)
		}
	}
	return -1
}

// inside reads a byte of a string.
func (f *idFinder) inside(c byte) {
	f.keep(c)
	switch {
	case f.escaped:
		f.escaped = false
	case c == '\\':
		f.escaped = true
	case c == '"':
		f.inString = false
	}
}

// keep adds a byte to the literal of the outermost object that is being read. One that is
// longer than maxToken is kept in part, without its end.
func (f *idFinder) keep(c byte) {
	if f.depth == 1 && f.object && len(f.token) < maxToken {
		f.token = append(f.token, c)
	}
}

// endMember notes the value of a member that ends here if its name is id.
func (f *idFinder) endMember() {
	if isLiteral(f.key) && Unquote(f.key) == "id" {
		f.ids++
		f.found = bytes.TrimRight(bytes.Clone(f.token), " ")
	}
	f.key, f.token = nil, f.token[:0]
}

// isLiteral reports whether a token is one whole string.
func isLiteral(token []byte) bool {
	if !isText(token) {
		return false
	}
	end, err := scanString(token, 0)
	return err == nil && end == len(token)
}

// id returns the id that was read, zero if there was none, more than one, or one that is
// neither a string nor a number.
func (f *idFinder) id() ID {
	if f.ids != 1 || !isText(f.found) && !isNumeric(f.found) {
		return ID{}
	}
	if end, err := scanValue(f.found, 0, 0); err != nil || end != len(f.found) {
		return ID{}
	}
	return ID{f.found}
}
