package http1

import (
	"bytes"
	"errors"
	"io"
	"time"
)

// await waits for the first byte of a request, with the read deadline that is set. It
// reports false when there will be none: the client has disconnected, the deadline has
// passed, or the server shuts down. Bytes that came with the request before are a request
// already.
func (c *conn) await() (now time.Time, ok bool) {
	if c.n > 0 {
		return time.Now(), !c.server.closing.Load()
	}
	c.stage.Store(stageIdle)
	if c.server.closing.Load() { // and may not have seen that we are idle
		return now, false
	}
	n, err := c.net.Read(c.buf)
	if !c.stage.CompareAndSwap(stageIdle, stageBusy) || err != nil && n == 0 {
		return now, false
	}
	c.n = n
	return time.Now(), true
}

// readWithin sets the read deadline to d from now, or up to a quarter later, so that not
// every request sets it.
func (c *conn) readWithin(now time.Time, d time.Duration) {
	if c.readUntil.Sub(now) < d {
		c.readUntil = now.Add(d + d/4)
		_ = c.net.SetReadDeadline(c.readUntil) // a read returns the error
	}
}

// A verdict decides about the bytes in the buffer. It is made before anything is written,
// so passed is always safe: net/http decides all doubtful cases.
type verdict int

const (
	taken  verdict = iota // a request that is handled here
	passed                // net/http's
	ended                 // the client has disconnected or is too slow
)

// receive reads a request until head and body are in the buffer. With the verdict taken
// it returns the size of its head, and c.head describes it. The head must have arrived at
// the deadline, the body within grace after it.
//
// An incomplete head at the end of the input goes to net/http, which answers some of them
// with 400.
func (c *conn) receive(deadline time.Time) (size int, v verdict) {
	end := indexHead(c.buf[:c.n])
	for ; end < 0; end = indexHead(c.buf[:c.n]) {
		if c.n >= maxHead || strange(c.buf[:c.n]) {
			return 0, passed
		}
		if !c.hasRoom(maxHead) {
			return 0, passed
		}
		if err := c.more(deadline); errors.Is(err, io.EOF) {
			return 0, passed // half a head: net/http has an answer for some
		} else if err != nil {
			return 0, ended
		}
	}
	if !c.head.parse(c.buf[:end+2], c.server.paths) {
		return 0, passed
	}
	size = end + len(endOfHead)
	if c.n >= size+c.head.length {
		return size, taken
	}
	deadline = time.Now().Add(grace)
	for c.n < size+c.head.length {
		if !c.hasRoom(size + c.head.length) {
			return 0, passed
		}
		if err := c.more(deadline); err != nil {
			return 0, passed // net/http finds the same error, or waits
		}
	}
	return size, taken
}

// hasRoom reports whether more can be read; a full buffer doubles, to size at most. It is
// false when the budget has no memory for that: then net/http serves the request, whose
// limits are its own.
func (c *conn) hasRoom(size int) bool {
	if c.n < len(c.buf) {
		return true
	}
	size = min(size, 2*len(c.buf))
	if c.hold.Take(int64(size-len(c.buf))) != nil {
		return false
	}
	c.grow(size)
	return true
}

// more reads more bytes into the buffer, which must have room. It returns an error only
// when no byte came: a read may return both, and the next one returns the error again.
func (c *conn) more(deadline time.Time) error {
	c.readUntil = time.Time{}
	if err := c.net.SetReadDeadline(deadline); err != nil {
		return err
	}
	n, err := c.net.Read(c.buf[c.n:])
	c.n += n
	if n > 0 {
		return nil
	}
	return err
}

// skipLine drops the empty line that some clients send after a body. RFC 9112, section
// 2.2, asks servers to ignore at least one before a request line.
func (c *conn) skipLine() {
	if rest, ok := bytes.CutPrefix(c.buf[:c.n], endOfHead[:2]); ok {
		c.n = copy(c.buf, rest)
	}
}

// consume removes a request of so many bytes from the buffer; those of the next one move
// to its beginning. A buffer that has grown is replaced, and its memory is given back,
// unless the next request needs it.
func (c *conn) consume(size int) {
	rest := c.buf[size:c.n]
	if len(c.buf) > keptBuffer && len(rest) <= firstBuffer {
		c.buf = make([]byte, firstBuffer)
		c.hold.Release()
	}
	c.n = copy(c.buf, rest)
}
