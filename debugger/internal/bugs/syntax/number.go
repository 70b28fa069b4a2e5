package syntax

// A numberForm describes the numbers of a language: what they may have besides digits,
// letters and a dot between two digits.
type numberForm uint8

const (
	leadingDot  numberForm = 1 << iota // .5
	trailingDot                        // 1.
	suffixDot                          // 1.e5, 1.f, 0x1.8p3
	ticks                              // 1'000
)

// numberLength is the length of the number that text begins with. Letters that
// touch it belong to it.
func numberLength(text string, form numberForm) int {
	hex := byteAt(text, 0) == '0' && byteAt(text, 1)|0x20 == 'x'
	dot := false
	i := 0
	for i < len(text) {
		switch c := text[i]; {
		case wordByte(c):
			i++
			if exponent(c, hex) && sign(byteAt(text, i)) && digit(byteAt(text, i+1)) {
				i++
			}
		case c == '.' && !dot && dotWithin(text[i+1:], hex, form):
			dot = true
			i++
		case c == '\'' && form&ticks != 0 && hexDigit(byteAt(text, i+1)):
			i++
		default:
			return i
		}
	}
	return i
}

// exponent reports whether c begins an exponent.
func exponent(c byte, hex bool) bool {
	if hex {
		return c|0x20 == 'p'
	}
	return c|0x20 == 'e'
}

func sign(c byte) bool { return c == '+' || c == '-' }

// dotWithin reports whether a dot belongs to the number that it follows, or
// begins: it could also be one of a range, or in front of a method.
func dotWithin(behind string, hex bool, form numberForm) bool {
	switch c := byteAt(behind, 0); {
	case digit(c):
		return true
	case c == '.':
		return false
	case !wordByte(c):
		return form&trailingDot != 0
	case hex:
		return form&suffixDot != 0 && (hexDigit(c) || c|0x20 == 'p')
	default:
		return form&suffixDot != 0 && suffix(behind)
	}
}

// suffix reports whether text begins with what may follow the dot of a number:
// an exponent, or the letters that say its type.
func suffix(text string) bool {
	n := wordLength(text)
	switch c := text[0] | 0x20; {
	case c == 'e':
		return n > 1 && digit(text[1]) || n == 1 && sign(byteAt(text, 1))
	case n == 1:
		return c == 'f' || c == 'l' || c == 'd' || c == 'j' || c == 'i'
	default:
		return false
	}
}
