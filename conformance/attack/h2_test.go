package attack_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A wire is a connection on which a client speaks HTTP/2 as it likes.
type wire struct {
	conn   *tls.Conn
	framer *http2.Framer
	ended  chan struct{} // closed when the server has ended it
}

// wire connects and agrees on HTTP/2. What the server says is read and thrown
// away.
func (s *server) wire(t *testing.T) *wire {
	t.Helper()
	conn := s.dial(t).(*tls.Conn).NetConn()
	config := s.tls.Clone()
	config.NextProtos = []string{"h2"}
	w := &wire{conn: tls.Client(conn, config), ended: make(chan struct{})}
	if _, err := io.WriteString(w.conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	w.framer = http2.NewFramer(w.conn, nil)
	if err := w.framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	_ = w.conn.SetDeadline(time.Now().Add(patience))
	go func() {
		defer close(w.ended)
		_, _ = io.Copy(io.Discard, w.conn) // until it ends
	}()
	return w
}

// ask makes one request.
func (w *wire) ask(head []byte, body string) error {
	if err := w.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head, EndHeaders: true}); err != nil {
		return err
	}
	return w.framer.WriteData(1, true, []byte(body))
}

// fields are the head of an honest request, and more.
func fields(token string, more ...hpack.HeaderField) []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, f := range append([]hpack.HeaderField{
		{Name: ":method", Value: "POST"},
		{Name: ":scheme", Value: "https"},
		{Name: ":authority", Value: "localhost"},
		{Name: ":path", Value: "/mcp"},
		{Name: "content-type", Value: "application/json"},
		{Name: "authorization", Value: "Bearer " + token},
	}, more...) {
		_ = encoder.WriteField(f) // a buffer takes everything
	}
	return block.Bytes()
}

// brokenHTTP2 does on one connection what HTTP/2 makes cheap for a client and
// dear for a server.
func brokenHTTP2(t *testing.T, s *server, token string) {
	head := fields(token)
	tests := []struct {
		name string
		// say says one thing, for the nth time.
		say   func(f *http2.Framer, n uint32) error
		times int
		cut   bool // whether the server must end the connection
	}{
		{"requests that are taken back at once", func(f *http2.Framer, n uint32) error {
			if err := f.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*n + 1, BlockFragment: head, EndHeaders: true}); err != nil {
				return err
			}
			return f.WriteRSTStream(2*n+1, http2.ErrCodeCancel)
		}, 20_000, false},
		{"requests without end", func(f *http2.Framer, n uint32) error {
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*n + 1, BlockFragment: head, EndHeaders: true})
		}, 2000, false},
		{"a head that goes on for ever", func(f *http2.Framer, n uint32) error {
			if n == 0 {
				return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head})
			}
			return f.WriteContinuation(1, false, bytes.Repeat(fields(token)[:1], 10_000))
		}, 10_000, true},
		{"pings", func(f *http2.Framer, _ uint32) error { return f.WritePing(false, [8]byte{}) }, 50_000, false},
		{"settings", func(f *http2.Framer, _ uint32) error { return f.WriteSettings() }, 50_000, false},
		{"priorities", func(f *http2.Framer, n uint32) error {
			return f.WritePriority(2*n+1, http2.PriorityParam{StreamDep: 2*n + 3})
		}, 50_000, false},
		{"empty data", func(f *http2.Framer, n uint32) error {
			if n == 0 {
				return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head, EndHeaders: true})
			}
			return f.WriteData(1, false, nil)
		}, 50_000, false},
		{"data of no request", func(f *http2.Framer, _ uint32) error { return f.WriteData(7, false, []byte("{}")) }, 2, true},
		{"nonsense", func(f *http2.Framer, _ uint32) error {
			return f.WriteRawFrame(http2.FrameHeaders, 0xff, 1, []byte{0xff, 0xff, 0xff})
		}, 2, true},
	}
	c := s.client(t, token, "", true)
	for _, tc := range tests {
		w := s.wire(t)
		for n := range tc.times {
			if tc.say(w.framer, uint32(n)) != nil {
				break // the server has had enough
			}
		}
		c.post(t, list).is(t, "beside "+tc.name, 200, 0)
		if tc.cut {
			select {
			case <-w.ended:
			case <-time.After(patience):
				t.Errorf("%s: the connection goes on", tc.name)
			}
		}
		_ = w.conn.Close() // it may be closed already
	}
	twoKeys(t, s, token)
}

// twoKeys shows two keys, and hides a line in a value: in HTTP/2 both can be
// said, and neither may be heard.
func twoKeys(t *testing.T, s *server, token string) {
	t.Helper()
	honest := s.wire(t)
	if err := honest.ask(fields(token), create("by_one_key")); err != nil {
		t.Error(err)
	}
	c := s.client(t, token, "", true)
	eventually(t, patience, func() bool {
		return strings.Contains(c.post(t, tool("get_ruleset", `{"name":"by_one_key"}`)).text, "# Trace")
	})
	for name, more := range map[string]hpack.HeaderField{
		"two keys":             {Name: "authorization", Value: "Bearer x"},
		"a newline in a value": {Name: "x-split", Value: "a\r\nauthorization: x"},
		"a name in capitals":   {Name: "X-Split", Value: "a"},
		"a length and chunks":  {Name: "transfer-encoding", Value: "chunked"},
		"a second path":        {Name: ":path", Value: "/healthz"},
	} {
		w := s.wire(t)
		if err := w.ask(fields(token, more), create("by_two_keys")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c.post(t, list).is(t, "after "+name, 200, 0)
		_ = w.conn.Close() // it may be closed already
	}
	absent(t, s, token, "by_two_keys")
}
