package values

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode/utf16"
)

// widePrefixes are the prefixes of string literals by character type.
var widePrefixes = map[string]string{"char8_t": "u8", "char16_t": "u", "char32_t": "U", "wchar_t": "L"}

// wideText shows a string of characters of two or four bytes as C++ writes it.
func (r *renderer) wideText(s sequence) (content, error) {
	size := s.elem.ByteSize()
	if s.length < 0 || s.length > 1<<40 {
		return content{}, fmt.Errorf("a string of %d characters", s.length)
	}
	n := min(s.length, int64(r.limits.String))
	b := make([]byte, n*size)
	if len(b) > 0 {
		if err := s.owner.View.Memory.ReadMemory(s.start, b); err != nil {
			return content{}, fmt.Errorf("cannot read memory at %#x", s.start)
		}
	}
	var runes []rune
	var units []uint16
	for ; len(b) > 0; b = b[size:] {
		if size == 2 {
			units = append(units, binary.LittleEndian.Uint16(b))
			continue
		}
		runes = append(runes, rune(binary.LittleEndian.Uint32(b)))
	}
	runes = append(runes, utf16.Decode(units)...)
	c := content{text: widePrefixes[s.elem.Strip().Name()] + strconv.Quote(string(runes)), cut: n < s.length}
	if c.cut {
		c.text += "…"
	}
	return c, nil
}
