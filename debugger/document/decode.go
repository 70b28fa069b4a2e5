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
	"golang.org/x/text/encoding/charmap"
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
	{"\xFF\xFE\x00\x00", "UTF-32LE", true},
	{"\x00\x00\xFE\xFF", "UTF-32BE", true},
	{"\x00\x00\x00<", "UTF-32BE", false},
	{"<\x00\x00\x00", "UTF-32LE", false},
	{"\xEF\xBB\xBF", "UTF-8", true},
	{"\xFF\xFE", "UTF-16LE", true},
	{"\xFE\xFF", "UTF-16BE", true},
	{"<\x00", "UTF-16LE", false},
	{"\x00<", "UTF-16BE", false},
	{xmlInEBCDIC, ebcdic, false},
}

// ebcdic names the family of encodings in which "<?xm" is xmlInEBCDIC. The
// declaration says which of them it is.
const (
	ebcdic      = "EBCDIC"
	xmlInEBCDIC = "\x4C\x6F\xA7\x94"
)

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

// isUTF8 reports whether a name of an encoding is one of UTF-8.
func isUTF8(encoding string) bool {
	name := strings.ToUpper(encoding)
	return name == "UTF-8" || name == "UTF8"
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
	case "UTF-32LE":
		return fromUTF32(name, body, binary.LittleEndian)
	case "UTF-32BE":
		return fromUTF32(name, body, binary.BigEndian)
	case ebcdic:
		return fromEBCDIC(name, body)
	case "ISO-8859-1", "ISO_8859-1", "LATIN1", "L1", "ISO8859-1":
		return fromLatin1(body), nil
	case "US-ASCII", "ASCII":
		return body, checkASCII(name, body)
	}
	return fromDeclared(name, body, encoding)
}

// fromEBCDIC decodes a document whose declaration names an encoding of the family.
// All of them have the letters, digits and signs of a name in the same places, so
// that any of them can read the declaration.
func fromEBCDIC(name string, body []byte) ([]byte, error) {
	head, err := charmap.CodePage037.NewDecoder().Bytes(body[:min(len(body), kib)])
	if err != nil {
		return nil, misencoded(name, nil, err.Error())
	}
	m := declaration().FindSubmatch(head)
	if m == nil {
		return nil, &EncodingError{name, ebcdic}
	}
	charset := charsetOf(string(m[1]))
	if charset == nil || decodes(charset, xmlInEBCDIC) != "<?xm" {
		return nil, &EncodingError{name, string(m[1])}
	}
	return fromCharset(name, body, string(m[1]), charset)
}

// aliases maps names of IANA's registry to WHATWG labels of the same encodings, where the
// packages for IANA's names have the names and not the encodings.
var aliases = map[string]string{"cstis620": "tis-620", "csbig5hkscs": "big5-hkscs", "cswindows31j": "windows-31j"}

// charsetOf returns the encoding with a name in IANA's registry or in the WHATWG
// Encoding standard; nil if there is none.
func charsetOf(name string) encoding.Encoding {
	charset, err := ianaindex.IANA.Encoding(name)
	if err != nil || charset == nil {
		if label, ok := aliases[strings.ToLower(name)]; ok {
			name = label
		}
		charset, err = htmlindex.Get(name)
	}
	if err != nil {
		return nil
	}
	return charset
}

// fromDeclared decodes an encoding by its name. It accepts only encodings that
// encode ASCII as itself, since the declaration was read that way.
func fromDeclared(name string, body []byte, encoding string) ([]byte, error) {
	const sample = "<?xml version='1.0'?>"
	charset := charsetOf(encoding)
	if charset == nil || decodes(charset, sample) != sample {
		return nil, &EncodingError{name, encoding}
	}
	return fromCharset(name, body, encoding, charset)
}

// decodes returns a text decoded, or "".
func decodes(charset encoding.Encoding, text string) string {
	decoded, err := charset.NewDecoder().String(text)
	if err != nil {
		return ""
	}
	return decoded
}

// fromCharset decodes an encoding and rejects invalid bytes.
func fromCharset(name string, body []byte, called string, charset encoding.Encoding) ([]byte, error) {
	text, err := charset.NewDecoder().Bytes(body)
	if err != nil {
		return nil, misencoded(name, nil, err.Error())
	}
	if i := bytes.IndexRune(text, utf8.RuneError); i >= 0 {
		return nil, misencoded(name, text[:i], "it has bytes that mean nothing in "+called)
	}
	return text, nil
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

// fromUTF32 rejects what is no character, as fromUTF16 does.
func fromUTF32(name string, body []byte, order binary.ByteOrder) ([]byte, error) {
	out := make([]byte, 0, len(body)/4+len(body)/16)
	for ; len(body) >= 4; body = body[4:] {
		r := order.Uint32(body)
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return nil, misencoded(name, out, fmt.Sprintf("0x%X is not UTF-32", r))
		}
		out = utf8.AppendRune(out, rune(r))
	}
	if len(body) > 0 {
		return nil, misencoded(name, out, "the last UTF-32 unit is cut short")
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
