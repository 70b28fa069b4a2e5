package target

import "unicode/utf8"

// partialRune returns the number of bytes at the end of b that are the beginning
// of a rune. Bytes that no UTF-8 has are not the beginning of one.
func partialRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		end := b[len(b)-n:]
		switch {
		case !utf8.RuneStart(end[0]):
		case utf8.FullRune(end):
			return 0
		default:
			return n
		}
	}
	return 0
}

// runeRest returns the number of bytes at the beginning of b that may be the rest
// of a rune.
func runeRest(b []byte) int {
	n := 0
	for n < utf8.UTFMax-1 && n < len(b) && !utf8.RuneStart(b[n]) {
		n++
	}
	return n
}

// runeBefore returns how far before the offset i of b the rune begins that i is
// inside of, 0 if it is not inside of one.
func runeBefore(b []byte, i int) int {
	for n := 1; n < utf8.UTFMax && n <= i; n++ {
		if utf8.RuneStart(b[i-n]) {
			if _, size := utf8.DecodeRune(b[i-n:]); size > n {
				return n
			}
			return 0
		}
	}
	return 0
}
