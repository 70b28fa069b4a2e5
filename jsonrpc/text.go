package jsonrpc

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// unplain marks, in the highest bits of eight bytes, those that cannot be taken as
// they are in a string literal, and those that need a look because they are not
// ASCII. Marks above the first may be wrong, and so are all other bits. Control
// characters and the quote are found at once: with bit 1 flipped they are the
// bytes below 0x21.
func unplain(w uint64) uint64 {
	quote := (w ^ ones*2) - ones*0x21
	slash := (w ^ ones*'\\') - ones
	return w | quote | slash
}

// skipPlain returns the index of the first byte of s, from i on, that is a
// quote, a backslash, a control character or not ASCII. Short runs are taken
// eight bytes at a time, long ones 32.
func skipPlain[S string | []byte](s S, i int) int {
	for i+8 <= len(s) {
		if marks := unplain(load8(s, i)) & highs; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
		for i += 8; i+32 <= len(s); i += 32 {
			b := s[i : i+32] // one check of bounds for all four
			if (unplain(load8(b, 0))|unplain(load8(b, 8))|unplain(load8(b, 16))|unplain(load8(b, 24)))&highs != 0 {
				break
			}
		}
	}
	for i < len(s) && isPlain(s[i]) {
		i++
	}
	return i
}

// isPlain reports whether a byte stands for itself in a JSON string: it is ASCII, and
// neither a control character, a quote nor a backslash (RFC 8259, section 7).
func isPlain(c byte) bool { return c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' }

// hexDigits are the digits of \u escapes that are written.
const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string literal with no more escapes than
// JSON needs. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(slices.Grow(dst, len(s)+len(s)/16+len(`""`)), '"') // some escapes are usual
	from := 0
	for i := skipPlain(s, 0); i < len(s); {
		if next := skipWide(s, i); next > i {
			i = next
		} else {
			if from < i {
				dst = append(dst, s[from:i]...)
			}
			dst = appendEscape(dst, s[i])
			i++
			from = i
		}
		if i < len(s) && isPlain(s[i]) {
			i = skipPlain(s, i)
		}
	}
	return append(append(dst, s[from:]...), '"')
}

// skipWide returns the index of the first byte of s, from i on, that is ASCII or
// no UTF-8. The usual characters of two and three bytes are looked at here; a
// call for each would take longer than all else.
func skipWide[S string | []byte](s S, i int) int {
	for i < len(s) && s[i] >= utf8.RuneSelf {
		switch c := s[i]; {
		case c >= 0xc2 && c < 0xe0 && i+1 < len(s) && continues(s[i+1]):
			i += 2
		case c > 0xe0 && c < 0xf0 && c != 0xed && i+2 < len(s) && continues(s[i+1]) && continues(s[i+2]):
			i += 3
		default:
			_, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
			if n == 1 {
				return i
			}
			i += n
		}
	}
	return i
}

// continues reports whether a byte is not the first of its character (RFC 3629, section
// 3).
func continues(c byte) bool { return c&0xc0 == 0x80 }

// load8 returns eight bytes of s from i on as a number whose lowest byte is the first.
func load8[S string | []byte](s S, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// appendEscape appends what stands for a byte that a literal cannot hold: an
// escape, or U+FFFD for what is no UTF-8.
func appendEscape(dst []byte, c byte) []byte {
	if letter := escaped[c]; letter != 0 {
		return append(dst, '\\', letter)
	}
	if c >= utf8.RuneSelf {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// escaped are the letters of the short escapes that are needed.
var escaped = [256]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

// Unquote returns the string of a checked literal, quotes included. Half a
// surrogate pair becomes U+FFFD.
func Unquote(lit []byte) string {
	lit = lit[1 : len(lit)-1]
	if bytes.IndexByte(lit, '\\') < 0 {
		return string(lit)
	}
	var b strings.Builder
	b.Grow(len(lit))
	writeUnquoted(&b, lit)
	return b.String()
}

// writeUnquoted writes a valid string, given without its quotes, with all escapes
// replaced. Half a surrogate pair becomes U+FFFD, as in encoding/json.
func writeUnquoted(b *strings.Builder, s []byte) {
	for len(s) > 0 {
		if s[0] != '\\' {
			n := nextSlash(s)
			b.Write(s[:n])
			s = s[n:]
			continue
		}
		if letter := unescaped[s[1]]; letter != 0 {
			b.WriteByte(letter)
			s = s[2:]
			continue
		}
		var r rune
		r, s = escapedRune(s[1:])
		b.WriteRune(r)
	}
}

// near is the distance up to which a loop is faster than a search with a start-up
// cost.
const near = 16

// nextSlash is the index of the first backslash, len(s) when there is none.
// Escapes often stand close together.
func nextSlash(s []byte) int {
	for i, c := range s[:min(near, len(s))] {
		if c == '\\' {
			return i
		}
	}
	if len(s) > near {
		if i := bytes.IndexByte(s[near:], '\\'); i >= 0 {
			return near + i
		}
	}
	return len(s)
}

// unescaped maps the letter behind a backslash to its character.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escapedRune returns the character of the escape at s, which begins with its u, and
// what follows it.
func escapedRune(s []byte) (rune, []byte) {
	r, s := rune(hex4(s[1:])), s[5:]
	if !utf16.IsSurrogate(r) {
		return r, s
	}
	if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
		if pair := utf16.DecodeRune(r, rune(hex4(s[2:]))); pair != utf8.RuneError {
			return pair, s[6:]
		}
	}
	return utf8.RuneError, s
}

// hex4 returns the value of four hexadecimal digits, which were checked to be such.
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
