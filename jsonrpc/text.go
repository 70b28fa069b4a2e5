package jsonrpc

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// unplain marks, in eight bytes, those that cannot be taken as they are in a
// string literal: quote, backslash and control characters. Bits above the
// first mark may be wrong, which costs a slow step and nothing else.
func unplain(w uint64) uint64 {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string literal with no more escapes than
// JSON needs. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte { return appendLiteral(dst, s) }

// AppendStringBytes is [AppendString] for bytes.
func AppendStringBytes(dst, s []byte) []byte { return appendLiteral(dst, s) }

func appendLiteral[S string | []byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	start, from, ascii := len(dst), 0, true
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			w := load8(s, i)
			ascii = ascii && w&highs == 0
			marks := unplain(w)
			if i += bits.TrailingZeros64(marks) / 8; marks == 0 {
				continue
			}
		}
		c := s[i]
		ascii = ascii && c < utf8.RuneSelf
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, c)
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	if !ascii {
		return mendUTF8(dst, start)
	}
	return append(dst, '"')
}

func load8[S string | []byte](s S, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// mendUTF8 closes the literal whose text begins at start.
func mendUTF8(dst []byte, start int) []byte {
	if utf8.Valid(dst[start:]) {
		return append(dst, '"')
	}
	mended := bytes.ToValidUTF8(dst[start:], []byte("\uFFFD"))
	return append(append(dst[:start:start], mended...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// Unquote returns the string of a checked literal, quotes included. Half a
// surrogate pair becomes U+FFFD.
func Unquote(lit []byte) string {
	lit = lit[1 : len(lit)-1]
	if bytes.IndexByte(lit, '\\') < 0 {
		return string(lit)
	}
	return string(appendUnquoted(make([]byte, 0, len(lit)), lit))
}

func appendUnquoted(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		dst, s = appendUnescaped(dst, s[i+1:])
	}
}

// unescaped is what a backslash and a letter stand for.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// appendUnescaped appends what the escape at s, after its backslash, stands
// for and returns what follows it.
func appendUnescaped(dst, s []byte) ([]byte, []byte) {
	if s[0] != 'u' {
		return append(dst, unescaped[s[0]]), s[1:]
	}
	r, s := rune(hex4(s[1:])), s[5:]
	if utf16.IsSurrogate(r) {
		pair := rune(utf8.RuneError)
		if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
			pair = utf16.DecodeRune(r, rune(hex4(s[2:])))
		}
		if r = pair; r != utf8.RuneError {
			s = s[6:]
		}
	}
	return utf8.AppendRune(dst, r), s
}

func hex4(b []byte) (n uint32) {
	w := binary.LittleEndian.Uint32(b)
	for range 4 {
		d := w & 0xff
		if d > '9' {
			d = d&^0x20 - 'A' + 10
		} else {
			d -= '0'
		}
		n, w = n<<4|d, w>>8
	}
	return n
}
