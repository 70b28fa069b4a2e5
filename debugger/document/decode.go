package document

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
)

// A signature is the start of documents in an encoding (XML 1.0, appendix F).
type signature struct {
	begin    string
	encoding string
	bom      bool // the signature is not part of the text
}

// signatures are tried in order: those of UTF-32 begin like those of UTF-16.
var signatures = []signature{
	{"\xFF\xFE\x00\x00", "UTF-32", true},
	{"\x00\x00\xFE\xFF", "UTF-32", true},
	{"\x00\x00\x00<", "UTF-32", false},
	{"<\x00\x00\x00", "UTF-32", false},
	{"\xEF\xBB\xBF", "UTF-8", true},
	{"\xFF\xFE", "UTF-16LE", true},
	{"\xFE\xFF", "UTF-16BE", true},
	{"<\x00", "UTF-16LE", false},
	{"\x00<", "UTF-16BE", false},
	{"\x4C\x6F\xA7\x94", "EBCDIC", false},
}

// lazyRegexp returns a function that compiles the expression on first use: many
// processes never read XML.
func lazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// declaration matches the encoding in a document's XML declaration.
var declaration = lazyRegexp(`^<\?xml[ \t\r\n][^>]*?[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([A-Za-z][A-Za-z0-9._-]*)["']`)

// sniff returns a document's encoding and the number of bytes to skip. Without a
// signature the declaration applies, and without one it is UTF-8.
func sniff(raw []byte) (encoding string, skip int) {
	for _, s := range signatures {
		if !bytes.HasPrefix(raw, []byte(s.begin)) {
			continue
		}
		if s.bom {
			return s.encoding, len(s.begin)
		}
		return s.encoding, 0
	}
	if m := declaration().FindSubmatch(raw[:min(len(raw), kib)]); m != nil {
		return string(m[1]), 0
	}
	return "UTF-8", 0
}

// decode converts a document to UTF-8 without a byte-order mark. The result may
// share memory with raw.
func decode(name string, raw []byte) ([]byte, error) {
	encoding, skip := sniff(raw)
	body := raw[skip:]
	switch strings.ToUpper(encoding) {
	case "UTF-8", "UTF8":
		return body, checkUTF8(name, body)
	case "UTF-16LE":
		return fromUTF16(name, body, binary.LittleEndian)
	case "UTF-16BE", "UTF-16":
		return fromUTF16(name, body, binary.BigEndian)
	case "ISO-8859-1", "ISO_8859-1", "LATIN1", "L1", "ISO8859-1":
		return fromLatin1(body), nil
	case "US-ASCII", "ASCII":
		return body, checkASCII(name, body)
	}
	return fromCharset(name, body, encoding)
}

// fromCharset decodes an encoding by its name in IANA's registry or in the WHATWG
// Encoding standard. It accepts only encodings that encode ASCII as itself, since
// the declaration was read that way, and rejects invalid bytes.
func fromCharset(name string, body []byte, encoding string) ([]byte, error) {
	charset, err := ianaindex.IANA.Encoding(encoding)
	if err != nil || charset == nil {
		charset, err = htmlindex.Get(encoding)
	}
	if err != nil || !keepsASCII(charset) {
		return nil, &EncodingError{name, encoding}
	}
	text, err := charset.NewDecoder().Bytes(body)
	if err != nil {
		return nil, misencoded(name, nil, err.Error())
	}
	if i := bytes.IndexRune(text, utf8.RuneError); i >= 0 {
		return nil, misencoded(name, text[:i], "it has bytes that mean nothing in "+encoding)
	}
	return text, nil
}

// keepsASCII reports whether a charset encodes ASCII as itself.
func keepsASCII(charset encoding.Encoding) bool {
	const sample = "<?xml version='1.0'?>"
	text, err := charset.NewDecoder().String(sample)
	return err == nil && text == sample
}

// checkUTF8 returns an error with the position of the first byte that is not
// valid UTF-8.
func checkUTF8(name string, text []byte) error {
	if utf8.Valid(text) {
		return nil
	}
	i := 0
	for i < len(text) {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return misencoded(name, text[:i], fmt.Sprintf("byte 0x%02X is not UTF-8", text[i]))
}

func checkASCII(name string, text []byte) error {
	i := bytes.IndexFunc(text, func(r rune) bool { return r > 0x7F })
	if i < 0 {
		return nil
	}
	return misencoded(name, text[:i], fmt.Sprintf("byte 0x%02X is not US-ASCII", text[i]))
}

// misencoded returns the error for the bytes that follow before.
func misencoded(name string, before []byte, message string) error {
	var here cursor
	here.advance(before)
	line, column := here.place()
	return &SyntaxError{name, line, column, message}
}

// fromUTF16 rejects unpaired surrogates, which utf16.Decode would replace by
// U+FFFD.
func fromUTF16(name string, body []byte, order binary.ByteOrder) ([]byte, error) {
	out := make([]byte, 0, len(body)/2+len(body)/8)
	for i := 0; i < len(body); i += 2 {
		if i+1 == len(body) {
			return nil, misencoded(name, out, "the last UTF-16 unit is cut in half")
		}
		r := rune(order.Uint16(body[i:]))
		if utf16.IsSurrogate(r) {
			var low rune
			if i+3 < len(body) {
				low = rune(order.Uint16(body[i+2:]))
			}
			pair := utf16.DecodeRune(r, low)
			if pair == utf8.RuneError {
				return nil, misencoded(name, out, fmt.Sprintf("half a UTF-16 pair (0x%04X)", r))
			}
			r, i = pair, i+2
		}
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}

func fromLatin1(body []byte) []byte {
	out := make([]byte, 0, len(body)+len(body)/8)
	for _, b := range body {
		out = utf8.AppendRune(out, rune(b))
	}
	return out
}
