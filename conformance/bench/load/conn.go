//go:build linux

package load

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"
)

// A conn is one connection, with one request at a time.
type conn struct {
	net.Conn

	web     *web
	in      *bufio.Reader
	session string
	next    int
	body    []byte // of the last answer
}

func newConn(w *web, c net.Conn) *conn {
	return &conn{Conn: c, web: w, in: bufio.NewReaderSize(c, 64<<10), next: firstID}
}

func (c *conn) handshake(revision string) error {
	if revision == "" {
		return nil
	}
	hello := initialize(revision)
	answer, err := c.ask(&hello)
	if err == nil {
		err = hello.check(answer)
	}
	if err != nil {
		return err
	}
	if _, err := c.Write(append(c.head(len(initialized), true), initialized...)); err != nil {
		return err
	}
	status, _, err := c.answer()
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("it answered initialized with status %d", status)
	}
	return err
}

// head is the head of a request with a body of n bytes.
func (c *conn) head(n int, negotiated bool) []byte {
	var b bytes.Buffer
	s := &c.web.server
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", c.web.url.RequestURI(), c.web.url.Host)
	b.WriteString("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n")
	if s.Bearer != "" {
		b.WriteString("Authorization: Bearer " + s.Bearer + "\r\n")
	}
	if c.session != "" {
		b.WriteString("Mcp-Session-Id: " + c.session + "\r\n")
	}
	if negotiated && s.Revision != "" {
		b.WriteString("Mcp-Protocol-Version: " + s.Revision + "\r\n")
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", n)
	return b.Bytes()
}

// request is a whole request, and where its id begins.
func (c *conn) request(m *Message) (b []byte, id int) {
	head := c.head(len(m.line), m.method != "initialize")
	return append(head, m.line...), len(head) + m.id
}

func (c *conn) ask(m *Message) ([]byte, error) {
	request, id := c.request(m)
	if _, err := c.post(request[id:], request); err != nil {
		return nil, err
	}
	return c.body, nil
}

// post sends a request with the next id, which goes to the given place, and
// reads the answer to body. It reports whether the answer has that id.
func (c *conn) post(digits, request []byte) (right bool, err error) {
	id := c.next
	c.next = nextID(id)
	putID(digits, id)
	if _, err := c.Write(request); err != nil {
		return false, err
	}
	status, body, err := c.answer()
	if err == nil && status != 200 {
		err = fmt.Errorf("status %d: %.300s", status, body)
	}
	got, _ := answerID(body)
	return got == id, err
}

// run asks one message after the other for a time; each connection begins with
// another one.
func (c *conn) run(mix *Mix, first int, d time.Duration, s *Sample) error {
	type prepared struct{ request, digits []byte }
	requests := make([]prepared, len(mix.messages))
	for i := range mix.messages {
		b, id := c.request(&mix.messages[i])
		requests[i] = prepared{b, b[id:]}
	}
	began, now := time.Now(), time.Duration(0)
	for i := first; now < d; i++ {
		k := i % len(requests)
		right, err := c.post(requests[k].digits, requests[k].request)
		if err != nil {
			return err
		}
		if !right || len(c.body) != mix.messages[k].length {
			s.Bad++
		}
		sent := now
		now = time.Since(began)
		s.N++
		s.Latency.Add(now - sent)
	}
	s.Took = now
	return nil
}

// answer reads an answer as far as a driver must know it: its status, its length
// and, in an event stream, the last event.
func (c *conn) answer() (status int, body []byte, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, nil, fmt.Errorf("it answered %.60q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, err
	}
	length, stream, err := c.headers()
	if err != nil {
		return 0, nil, err
	}
	if err := c.read(length); err != nil {
		return 0, nil, err
	}
	if stream {
		c.body = lastEvent(c.body)
	}
	return status, c.body, nil
}

// headers reads them; a length of -1 is a body in chunks.
func (c *conn) headers() (length int, stream bool, err error) {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil || len(line) <= 2 {
			return length, stream, err
		}
		switch value := line[bytes.IndexByte(line, ':')+1:]; {
		case named(line, "content-length:"):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, false, err
			}
		case named(line, "transfer-encoding:"):
			length = -1
		case named(line, "content-type:"):
			stream = bytes.Contains(value, []byte("event-stream"))
		case named(line, "mcp-session-id:"):
			c.session = string(bytes.TrimSpace(value))
		}
	}
}

func named(line []byte, name string) bool {
	return len(line) > len(name) && line[0]|0x20 == name[0] && strings.EqualFold(string(line[:len(name)]), name)
}

// read reads the body.
func (c *conn) read(length int) (err error) {
	if length < 0 {
		if c.body, err = io.ReadAll(httputil.NewChunkedReader(c.in)); err == nil {
			_, err = c.in.Discard(2) // the chunked reader leaves the last line
		}
		return err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	_, err = io.ReadFull(c.in, c.body)
	return err
}

// lastEvent is the data of the last event that has some.
func lastEvent(stream []byte) []byte {
	var last []byte
	for line := range bytes.Lines(stream) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(data)) > 0 {
			last = bytes.TrimSpace(data)
		}
	}
	return last
}
