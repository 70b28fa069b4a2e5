package packet

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// A pipe is one side of a connection: what the client sends, and what it gets.
type pipe struct {
	io.Reader
	bytes.Buffer
}

func (p *pipe) Read(b []byte) (int, error) { return p.Reader.Read(b) }

func dial(sent string) (*Conn, *pipe) {
	p := &pipe{Reader: strings.NewReader(sent)}
	return NewConn(p), p
}

// The examples of the manual, section E.1: the sum of OK, a run, an escape.
func TestFrames(t *testing.T) {
	for _, tt := range []struct{ data, frame string }{
		{"OK", "$OK#9a"},
		{"", "$#00"},
		{"0000", "$0* #7a"}, // "0* " is "0000" in the manual
		{"000", "$000#90"},
		{"}", "$}]#da"},
		{"#$*", "$}\x03}\x04}\x0a#88"},
		{strings.Repeat("0", 7), `$0*"0#ac`},  // six more would be counted by #
		{strings.Repeat("0", 98), "$0*~#d8"},  // the longest run
		{strings.Repeat("0", 99), "$0*~0#08"}, // and one more
	} {
		if got := string(encode([]byte(tt.data))); got != tt.frame {
			t.Errorf("%q is sent as %q, want %q", tt.data, got, tt.frame)
		}
	}
}

// A client acknowledges by + and -, and gets the last frame again for a -.
func TestAcknowledgments(t *testing.T) {
	c, p := dial("$m0,4#fd" + "$bad#00" + "-" + "$g#67")
	for _, want := range []string{"m0,4", "g"} {
		got, err := c.Read()
		if err != nil || string(got.Data) != want {
			t.Fatalf("read %q, %v, want %q", got.Data, err, want)
		}
		if err := c.Write([]byte("OK")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v, want EOF", err)
	}
	// OK to m, - to the damaged packet, OK again, and OK to g.
	if got, want := p.String(), "+$OK#9a"+"-"+"$OK#9a"+"+$OK#9a"; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// Without acknowledgments nothing is sent for a packet, and damage ends the
// connection: it cannot be asked for again.
func TestNoAcknowledgments(t *testing.T) {
	c, p := dial("$g#67" + "$g#00")
	c.StopAcks()
	if got, err := c.Read(); err != nil || string(got.Data) != "g" {
		t.Fatalf("read %q, %v", got.Data, err)
	}
	if _, err := c.Read(); !errors.Is(err, errDamaged) {
		t.Errorf("a damaged packet: %v, want %v", err, errDamaged)
	}
	if p.Len() != 0 {
		t.Errorf("sent %q, want nothing", p.String())
	}
}

// An interrupt is a byte between packets, and a byte like others inside.
func TestInterrupt(t *testing.T) {
	c, _ := dial("\x03$X0,1:\x03#22")
	if got, err := c.Read(); err != nil || !got.Interrupt {
		t.Fatalf("read %v, %v, want an interrupt", got, err)
	}
	got, err := c.Read()
	if err != nil || string(got.Data) != "X0,1:\x03" {
		t.Errorf("read %q, %v", got.Data, err)
	}
}

// What is too long ends the connection, also when it is short on the wire.
func TestTooLong(t *testing.T) {
	for name, sent := range map[string]string{
		"bytes": "$" + strings.Repeat("a", MaxSize+1) + "#00",
		"runs":  "$a" + strings.Repeat("*~", MaxSize/maxRepeat+1) + "#00",
	} {
		c, _ := dial(sent)
		if _, err := c.Read(); !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %v, want %v", name, err, ErrTooLong)
		}
	}
}

// What is written is read, whatever it is, and no byte of a frame but the last
// three could be taken for its end, nor any for an acknowledgment's count.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range []string{"", "OK", "}}}}}}", "#\x03\x03\x03\x03\x03", strings.Repeat("*", 300), strings.Repeat("\x00", 4096)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(escape(data)) > MaxSize {
			t.Skip("longer than a packet")
		}
		frame := encode(data)
		if end := bytes.IndexByte(frame, '#'); end != len(frame)-3 {
			t.Fatalf("%q: a # at %d of %d", frame, end, len(frame))
		}
		c, _ := dial(string(frame))
		got, err := c.Read()
		if err != nil || !bytes.Equal(got.Data, data) {
			t.Fatalf("%q comes back as %q, %v", data, got.Data, err)
		}
	})
}

// Anything may come from a client: reading ends, and what is read is in bounds.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"$OK#9a", "+-\x03$g#67", "$a*~#", "$}#7d", "$$a#61", "$*!#4b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		c, _ := dial(string(sent))
		for range len(sent) + 1 {
			p, err := c.Read()
			if err != nil {
				return
			}
			if len(p.Data) > MaxSize {
				t.Fatalf("%d bytes", len(p.Data))
			}
		}
		t.Fatal("more packets than bytes")
	})
}

// A client that begins as one of another protocol is not listened to, whatever packets follow.
// Later, bytes between packets are ignored.
func TestOtherProtocols(t *testing.T) {
	const packets = "$?#3f$g#67$k#6b"
	for _, begin := range []string{"POST / HTTP/1.1\r\nHost: 127.0.0.1:2345\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "OPTIONS /", "\x16\x03\x01", "SSH-2.0-x\r\n", "\r\n", " ", "\x00", "Content-Length: 1\r\n"} {
		c, out := dial(begin + packets)
		for range 3 {
			if p, err := c.Read(); !errors.Is(err, ErrProtocol) {
				t.Errorf("%q: packet %q, %v", begin, p.Data, err)
			}
		}
		if out.Len() > 0 {
			t.Errorf("%q: answered %q", begin, out.String())
		}
	}
	for _, begin := range []string{"", "+", "-", "+\r\n", "\x03", "$#00\x00junk"} {
		c, _ := dial(begin + packets)
		found := false
		for range 3 {
			p, err := c.Read()
			if err != nil {
				t.Fatalf("%q: %v", begin, err)
			}
			found = found || string(p.Data) == "?"
		}
		if !found {
			t.Errorf("%q: the packet was not read", begin)
		}
	}
}
