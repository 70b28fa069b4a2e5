package http1

import (
	"bytes"
	"sync/atomic"
)

// A framing watches the bytes that net/http reads from a connection, and finds out whether
// another program in front of the server may see the end of a request in another place.
// net/http drops a Content-Length beside Transfer-Encoding and does not tell; a proxy that
// believed the length would not see a request behind the chunks (RFC 9112, section 6.1).
//
// It looks at the beginning of every line, in bodies too: a body with such a line makes the
// connection doubtful, which costs its client no more than another connection. Nothing makes
// it certain again, since net/http reads ahead.
type framing struct {
	doubtful atomic.Bool

	line [len(lineOfChunks) + 4]byte // the beginning of the current line
	n    int
}

// The lines that matter, as they are without regard to case.
const (
	lineOfLength = "content-length"
	lineOfCoding = "transfer-encoding"
	lineOfChunks = lineOfCoding + ": chunked\r"
)

// watch looks at the next bytes. It is for one goroutine.
func (f *framing) watch(text []byte) {
	for !f.doubtful.Load() {
		line, rest, whole := bytes.Cut(text, []byte{'\n'})
		f.n += copy(f.line[f.n:], line)
		if !whole {
			return
		}
		if doubtful(f.line[:f.n]) {
			f.doubtful.Store(true)
		}
		text, f.n = rest, 0
	}
}

// doubtful reports whether a line has a length, or another coding than chunked in its plain
// spelling: readers disagree about white space around it, and about lists.
func doubtful(line []byte) bool {
	if hasPrefixFold(line, lineOfLength) {
		return true
	}
	if !hasPrefixFold(line, lineOfCoding) {
		return false
	}
	return !bytes.EqualFold(line, []byte(lineOfChunks))
}

// hasPrefixFold reports whether a line begins with a text in any case.
func hasPrefixFold(line []byte, prefix string) bool {
	return len(line) >= len(prefix) && bytes.EqualFold(line[:len(prefix)], []byte(prefix))
}
