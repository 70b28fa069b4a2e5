package http1_test

import (
	"bufio"
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/http1"
)

var paths = map[string]bool{"/mcp": true}

// heads are requests and whether they are taken.
var heads = []struct {
	name, text string
	taken      bool
}{
	{"plain", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", true},
	{"no body", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", true},
	{"names in small letters", "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\naccept: */*\r\n\r\n{}", true},
	{"an unknown name", "POST /mcp HTTP/1.1\r\nHost: [::1]:8443\r\nContent-Length: 2\r\nx-trace-ID: 7\r\n\r\n{}", true},
	{"spaces about values", "POST /mcp HTTP/1.1\r\nHost:localhost \r\nContent-Length:\t2\r\nAccept:\t a \r\n\r\n{}", true},
	{"a field twice", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nAccept: a\r\naccept: b\r\n\r\n{}", true},
	{"an empty value", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nAccept:\r\n\r\n{}", true},
	{"keep-alive", "POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\n{}", true},
	{"zeros before the length", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 002\r\n\r\n{}", true},

	{"another method", "PUT /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
	{"another path", "POST /mcp/ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
	{"a query", "POST /mcp?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
	{"the absolute form", "POST http://a/mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
	{"another version", "POST /mcp HTTP/1.0\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
	{"two spaces", "POST  /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
	{"no host", "POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", false},
	{"an empty host", "POST /mcp HTTP/1.1\r\nHost:\r\nContent-Length: 2\r\n\r\n{}", false},
	{"two hosts", "POST /mcp HTTP/1.1\r\nHost: a\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
	{"a strange host", "POST /mcp HTTP/1.1\r\nHost: a/b\r\nContent-Length: 2\r\n\r\n{}", false},
	{"no length", "POST /mcp HTTP/1.1\r\nHost: a\r\n\r\n", false},
	{"two lengths", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", false},
	{"a list of lengths", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\n{}", false},
	{"a signed length", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n{}", false},
	{"a hexadecimal length", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 0x2\r\n\r\n{}", false},
	{"an empty length", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", false},
	{"a large length", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", false},
	{"a length past all numbers", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551618\r\n\r\n{}", false},
	{"chunks", "POST /mcp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false},
	{"chunks beside a length", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}", false},
	{"a space before the colon", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding : chunked\r\n\r\n{}", false},
	{"a folded line", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nAccept: a\r\n b\r\n\r\n{}", false},
	{"a line without colon", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nAccept\r\n\r\n{}", false},
	{"a nameless field", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n: a\r\n\r\n{}", false},
	{"a bare newline", "POST /mcp HTTP/1.1\r\nHost: a\nContent-Length: 2\r\n\r\n{}", false},
	{"a bare return", "POST /mcp HTTP/1.1\r\nHost: a\r\nAccept: a\rb\r\nContent-Length: 2\r\n\r\n{}", false},
	{"a zero byte", "POST /mcp HTTP/1.1\r\nHost: a\r\nAccept: a\x00\r\nContent-Length: 2\r\n\r\n{}", false},
	{"a byte that is not ASCII", "POST /mcp HTTP/1.1\r\nHost: a\r\nAccept: \xe9\r\nContent-Length: 2\r\n\r\n{}", false},
	{"close", "POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", false},
	{"close besides", "POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, close\r\nContent-Length: 2\r\n\r\n{}", false},
	{"expect", "POST /mcp HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}", false},
	{"upgrade", "POST /mcp HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}", false},
	{"trailers", "POST /mcp HTTP/1.1\r\nHost: a\r\nTrailer: X\r\nContent-Length: 2\r\n\r\n{}", false},
	{"many fields", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n" + strings.Repeat("A: b\r\n", 70) + "\r\n{}", false},
	{"a long head", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nA: " + strings.Repeat("b", 9000) + "\r\n\r\n{}", false},
	{"an empty line first", "\r\nPOST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", false},
}

func TestParse(t *testing.T) {
	for _, tt := range heads {
		t.Run(tt.name, func(t *testing.T) {
			r, size := http1.Parse([]byte(tt.text), paths)
			if (r != nil) != tt.taken {
				t.Fatalf("taken: %v, want %v", r != nil, tt.taken)
			}
			if tt.taken && size != len(tt.text) {
				t.Errorf("%d bytes, want %d", size, len(tt.text))
			}
			compare(t, []byte(tt.text))
		})
	}
}

// FuzzParse: what is taken, net/http reads as the same request of as many bytes.
func FuzzParse(f *testing.F) {
	for _, tt := range heads {
		f.Add([]byte(tt.text))
	}
	f.Fuzz(compare)
}

func compare(t *testing.T, text []byte) {
	got, size := http1.Parse(text, paths)
	if got == nil {
		return
	}
	in := bytes.NewReader(text)
	buffered := bufio.NewReader(in)
	want, err := http.ReadRequest(buffered)
	if err != nil {
		t.Fatalf("net/http refuses it: %v", err)
	}
	for _, same := range []struct {
		what      string
		got, want any
	}{
		{"method", got.Method, want.Method},
		{"target", got.RequestURI, want.RequestURI},
		{"URL", *got.URL, *want.URL},
		{"version", got.Proto, want.Proto},
		{"host", got.Host, want.Host},
		{"length", got.ContentLength, want.ContentLength},
		{"chunks", len(got.TransferEncoding), len(want.TransferEncoding)},
		{"close", got.Close, want.Close},
		{"body", all(t, got.Body), all(t, want.Body)},
		{"bytes behind it", len(text) - size, buffered.Buffered() + in.Len()},
	} {
		if same.got != same.want {
			t.Errorf("%s: %v, want %v", same.what, same.got, same.want)
		}
	}
	if !maps.EqualFunc(got.Header, want.Header, slices.Equal) {
		t.Errorf("header %v, want %v", got.Header, want.Header)
	}
}

// TestParseNext: what a head is does not depend on the one before it on the
// connection, and does not change what was made of that.
func TestParseNext(t *testing.T) {
	const first = "POST /mcp HTTP/1.1\r\nHost: a2\r\nAccept: a\r\nContent-Length: 2 \r\nX: 2\r\nAccept: b\r\n\r\n{}"
	for _, second := range []string{
		first,
		strings.Replace(first, "h: 2 \r", "h: 3 \r", 1) + "!",
		strings.Replace(first, "h: 2 \r", "h: 12 \r", 1) + "0123456789",
		strings.Replace(first, "h: 2 \r", "h: 65537 \r", 1),
		strings.Replace(first, "h: 2 \r", "h: +2 \r", 1),
		strings.Replace(first, "h: 2 \r", "h:  \r", 1),
		strings.Replace(first, "h: 2 \r", "h: 2\r\nTransfer-Encoding: chunked \r", 1),
		strings.Replace(first, "h: 2 \r", "h: 2\r\nContent-Length: 2 \r", 1),
		strings.Replace(first, "X: 2", "X: 3", 1),
		strings.Replace(first, "a2", "a3", 1),
		strings.Replace(first, "Accept: b\r\n", "", 1),
		strings.Replace(first, "POST", "PUT", 1),
	} {
		t.Run(second, func(t *testing.T) { compareNext(t, []byte(first), []byte(second)) })
	}
}

// TestParseAgainAllocatesLittle: of a head that is the one before it only the
// request itself is made, and of another length the length and the header.
func TestParseAgainAllocatesLittle(t *testing.T) {
	short, long := []byte(post("12")), []byte(post("1234567890"))
	for _, tt := range []struct {
		name          string
		first, second []byte
		most          float64
	}{{"the same", short, short, 2}, {"another length", short, long, 6}} {
		var parser http1.Parser
		got := testing.AllocsPerRun(100, func() {
			for _, text := range [][]byte{tt.first, tt.second} {
				if r, _ := parser.Parse(text, paths); r == nil {
					t.Fatal("not taken")
				}
			}
		})
		if got > 2*tt.most {
			t.Errorf("%s: %v allocations for two requests, want at most %v", tt.name, got, 2*tt.most)
		}
	}
}

// FuzzParseNext does the same with any two.
func FuzzParseNext(f *testing.F) {
	for i, tt := range heads {
		f.Add([]byte(tt.text), []byte(heads[(i+1)%len(heads)].text))
		f.Add([]byte(tt.text), []byte(tt.text)) // from here it is not far to another length
	}
	f.Fuzz(compareNext)
}

func compareNext(t *testing.T, first, second []byte) {
	var parser http1.Parser
	before, _ := parser.Parse(first, paths)
	got, size := parser.Parse(second, paths)
	want, wantSize := http1.Parse(second, paths)
	sameParsed(t, got, want)
	if size != wantSize {
		t.Errorf("%d bytes, want %d", size, wantSize)
	}
	as, _ := http1.Parse(first, paths)
	sameParsed(t, before, as)
}

func sameParsed(t *testing.T, got, want *http.Request) {
	t.Helper()
	if got == nil || want == nil {
		if got != want {
			t.Errorf("taken: %v, want %v", got != nil, want != nil)
		}
		return
	}
	if got.RequestURI != want.RequestURI || *got.URL != *want.URL || got.Host != want.Host || got.ContentLength != want.ContentLength ||
		!maps.EqualFunc(got.Header, want.Header, slices.Equal) || all(t, got.Body) != all(t, want.Body) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func all(t *testing.T, body io.ReadCloser) string {
	t.Helper()
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
