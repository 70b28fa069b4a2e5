package jsonrpc

import (
	"bytes"
	"errors"
	"io"
)

// A lineReader cuts a stream into lines of at most limit bytes. It belongs to
// the goroutine with the reading role of a connection.
type lineReader struct {
	r       io.Reader
	limit   int
	buf     []byte
	lo, hi  int  // buf[lo:hi] is read and not yet taken
	scanned int  // buf[lo:scanned] has no newline
	tooLong bool // the rest of a line over the limit is being passed over
	refused bool // and that line has been refused
	begun   bool // the first line was taken
	lost    idFinder
	err     error
}

// errTooLong reports a line over the limit; the next call reads the next line.
var errTooLong = errors.New("message too long")

// firstBuffer is the size of a line reader's first buffer, in bytes. It doubles when a
// line does not fit, up to the limit.
const firstBuffer = 64 << 10

// newLineReader returns a reader of lines of at most limit bytes.
func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: r, limit: limit, buf: make([]byte, firstBuffer)}
}

// buffered takes the next line that is read already. The line is good until
// the next call.
func (l *lineReader) buffered() (line []byte, ok bool, err error) {
	for {
		i := bytes.IndexByte(l.buf[l.scanned:l.hi], '\n')
		if i < 0 {
			l.scanned = l.hi
			return nil, false, l.overflow()
		}
		end := l.scanned + i
		line = l.buf[l.lo:end]
		l.lo, l.scanned = end+1, end+1
		switch {
		case l.tooLong:
			if err := l.endOverflow(line); err != nil {
				return nil, false, err
			}
		case len(line) > l.limit:
			l.beginOverflow()
			return nil, false, l.endOverflow(line)
		default:
			return l.withoutMark(line), true, nil
		}
	}
}

// byteOrderMark is U+FEFF in UTF-8. RFC 8259, section 8.1, lets a reader ignore one; some
// shells write it before all that they send.
const byteOrderMark = "\xef\xbb\xbf"

// withoutMark returns a line without the byte order mark that the first one may have.
func (l *lineReader) withoutMark(line []byte) []byte {
	if l.begun {
		return line
	}
	l.begun = true
	return trimMark(line)
}

// trimMark returns a text without its byte order mark.
func trimMark(text []byte) []byte {
	if rest, ok := bytes.CutPrefix(text, []byte(byteOrderMark)); ok && skipSpace(rest, 0) < len(rest) {
		return rest
	}
	return text
}

// overflow drops a line without end that is over the limit, and its rest as it comes. The
// line is refused once: when its id was read, or when it ends. So the buffer stays below
// twice the limit, or has its first size.
func (l *lineReader) overflow() error {
	if l.hi-l.lo <= l.limit {
		return nil
	}
	if !l.tooLong {
		l.beginOverflow()
	}
	l.readID(l.buf[l.lo:l.hi])
	l.lo, l.scanned = l.hi, l.hi
	if l.refused || l.lost.ids == 0 {
		return nil
	}
	l.refused = true
	return errTooLong
}

// beginOverflow begins to pass over a line.
func (l *lineReader) beginOverflow() {
	l.tooLong, l.refused, l.begun, l.lost = true, false, true, idFinder{}
}

// readID reads on for the id of the line that is passed over.
func (l *lineReader) readID(text []byte) {
	if !l.refused && l.lost.ids == 0 {
		l.lost.feed(text)
	}
}

// endOverflow ends a line that was passed over with its last piece. It returns an error if
// the line was not refused yet.
func (l *lineReader) endOverflow(last []byte) error {
	l.readID(last)
	l.tooLong = false
	if l.refused {
		return nil
	}
	return errTooLong
}

// fill reads more, once. At the end of the stream, last is the line that has no newline.
// It may block, and is called when buffered has nothing left.
func (l *lineReader) fill() (last []byte, err error) {
	if l.err == nil {
		l.makeRoom()
		var n int
		n, l.err = l.r.Read(l.buf[l.hi:])
		l.hi += n
		if n > 0 {
			return nil, nil
		}
	}
	if l.err == nil {
		return nil, nil // nothing read, no error: try again
	}
	last = l.buf[l.lo:l.hi]
	l.lo = l.hi
	if l.tooLong {
		if err := l.endOverflow(last); err != nil {
			return nil, errors.Join(err, l.err)
		}
		return nil, l.err
	}
	return l.withoutMark(last), l.err
}

// makeRoom makes space behind hi: by starting over when nothing waits, by moving what
// waits to the front, or by doubling. Lines that were returned before are no longer
// valid, as the reader has handled them.
func (l *lineReader) makeRoom() {
	switch {
	case l.lo == l.hi:
		if !worthKeeping(len(l.buf), l.hi) {
			l.buf = make([]byte, firstBuffer) // the big messages are over
		}
		l.lo, l.hi, l.scanned = 0, 0, 0
	case l.hi < len(l.buf):
	case l.lo > len(l.buf)/2:
		l.move(l.buf)
	default:
		l.move(make([]byte, 2*len(l.buf)))
	}
}

// move copies what was read and not returned yet to the beginning of a buffer, which
// becomes that of the reader. Lines that were returned before point into the old one,
// which stays as it is.
func (l *lineReader) move(to []byte) {
	n := copy(to, l.buf[l.lo:l.hi])
	l.buf, l.scanned = to, l.scanned-l.lo
	l.lo, l.hi = 0, n
}

// detach leaves the buffer to the handler that still uses the last line, and goes on with
// a copy of what was not taken.
func (l *lineReader) detach() {
	size := firstBuffer
	for size < l.hi-l.lo {
		size *= 2
	}
	l.move(make([]byte, size))
}
