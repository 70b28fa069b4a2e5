package datatype

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// hexLength returns the number of bytes that text represents in hexadecimal, -1 if it does
// not (part 2, section 3.2.15).
func hexLength(text string) int {
	for i := range len(text) {
		if b := text[i]; (b < '0' || b > '9') && (b < 'a' || b > 'f') && (b < 'A' || b > 'F') {
			return -1
		}
	}
	if len(text)%2 != 0 {
		return -1
	}
	return len(text) / 2
}

// base64Length returns the number of bytes that text represents in Base64, -1 if it does
// not (part 2, section 3.2.16). Its white space is collapsed; blanks may stand between
// any characters. Bits that the last byte does not need must be zero.
func base64Length(text string) int {
	n, padding := 0, 0
	last := byte('A')
	for i := range len(text) {
		switch b := text[i]; {
		case b == ' ':
		case b == '=':
			padding++
		case padding > 0 || sextet(b) < 0:
			return -1
		default:
			n++
			last = b
		}
	}
	if (n+padding)%4 != 0 || padding > 2 || padding > 0 && sextet(last)&(1<<(2*padding)-1) != 0 {
		return -1
	}
	return n * 3 / 4
}

// sextet returns the bits that a character of Base64 stands for, or -1.
func sextet(b byte) int {
	switch {
	case b >= 'A' && b <= 'Z':
		return int(b - 'A')
	case b >= 'a' && b <= 'z':
		return int(b-'a') + 26
	case b >= '0' && b <= '9':
		return int(b-'0') + 52
	case b == '+':
		return 62
	case b == '/':
		return 63
	}
	return -1
}

// appendHex appends the bytes of a valid text in hexadecimal.
func appendHex(to []byte, text string) []byte {
	to, err := hex.AppendDecode(to, []byte(text))
	if err != nil {
		panic(err) // the caller has checked the text
	}
	return to
}

// appendBase64 appends the bytes of a valid text in Base64.
func appendBase64(to []byte, text string) []byte {
	to, err := base64.StdEncoding.AppendDecode(to, []byte(strings.ReplaceAll(text, " ", "")))
	if err != nil {
		panic(err) // the caller has checked the text
	}
	return to
}
