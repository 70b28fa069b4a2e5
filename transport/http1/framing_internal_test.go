package http1

import (
	"bytes"
	"regexp"
	"testing"
)

func TestFraming(t *testing.T) {
	for text, want := range map[string]bool{
		"": false,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n":                           false,
		"POST / HTTP/1.1\r\nTRANSFER-ENCODING: Chunked\r\n\r\n":                           false,
		"POST / HTTP/1.1\r\nContent-Length: 1\r\n":                                        true,
		"POST / HTTP/1.1\r\ncOntent-lengtH:1\r\n":                                         true,
		"POST / HTTP/1.1\r\nX-Content-Length: 1\r\n":                                      false,
		"POST / HTTP/1.1\r\nTransfer-Encoding:\tchunked\r\n":                              true,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\n":                                 true,
		"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n":                         true,
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunkedxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n": true,
		"POST / HTTP/1.1\r\nTransfer-Encoding : chunked\r\n":                              true,
		"{\"a\":\"Content-Length: 1\"}\n":                                                 false,
		"\n\n\nContent-Length\n":                                                          true,
	} {
		for step := 1; step <= len(text)+1; step++ {
			if got := doubtfulBy(text, step); got != want {
				t.Errorf("%q in steps of %d: got %v, want %v", text, step, got, want)
			}
		}
	}
}

// doubtfulBy watches a text in parts of step bytes.
func doubtfulBy(text string, step int) bool {
	var f framing
	for len(text) > 0 {
		n := min(step, len(text))
		f.watch([]byte(text[:n]))
		text = text[n:]
	}
	return f.doubtful.Load()
}

// In which parts a text is read does not matter, and the answer is that of a regular
// expression.
func FuzzFraming(f *testing.F) {
	length := regexp.MustCompile(`(?i)(^|\n)content-length.*\n`)
	coding := regexp.MustCompile(`(?i)(^|\n)(transfer-encoding[^\n]*)\n`)
	f.Add([]byte("A: b\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nTransfer-Encoding:chunked\r\n"), 3)
	f.Add([]byte("\nContent-Length\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, step int) {
		if step < 1 || bytes.ContainsFunc(text, func(r rune) bool { return r > 127 }) {
			return // some letters beyond ASCII fold to letters of the names
		}
		want := length.Match(text)
		for rest := text; ; {
			m := coding.FindSubmatchIndex(rest)
			if m == nil {
				break
			}
			if !bytes.EqualFold(rest[m[4]:m[5]], []byte(lineOfChunks)) {
				want = true
			}
			rest = rest[m[5]:]
		}
		if got := doubtfulBy(string(text), step); got != want {
			t.Errorf("%q in steps of %d: got %v, want %v", text, step, got, want)
		}
	})
}
