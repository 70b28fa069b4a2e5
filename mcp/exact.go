package mcp

import "bytes"

// Hosts in JavaScript read every number as an IEEE 754 double, so an integer beyond
// 2^53-1 reaches the model with other digits, and nothing tells it so. RFC 8259,
// section 6, names that range as the interoperable one.
const (
	largestExact = "9007199254740991" // 2^53-1
	exactDigits  = len(largestExact)
)

// clampIntegers replaces the integers in JSON that a host would round by the nearest one
// that it keeps, 2^53-1 or -(2^53-1). A handler whose numbers matter beyond that gives
// them as strings; the text of the answer has all digits in any case. The JSON is changed
// in place, which it can be since no integer becomes longer.
func clampIntegers(raw []byte) []byte {
	to, from := 0, 0 // raw[:to] is done; raw[from:] is not copied yet
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			i = endOfString(raw, i)
		case '0' <= c && c <= '9':
			end := endOfNumber(raw, i)
			if tooLarge(raw[i:end]) {
				to += copy(raw[to:], raw[from:i])
				to += copy(raw[to:], largestExact)
				from = end
			}
			i = end
		default:
			i++
		}
	}
	if from == 0 {
		return raw
	}
	to += copy(raw[to:], raw[from:])
	return raw[:to]
}

// endOfString returns the index after the string that begins at i.
func endOfString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return i + 1
		case '\\':
			i++ // the escaped character
		}
	}
	return len(raw)
}

// endOfNumber returns the index after the number whose first digit is at i.
func endOfNumber(raw []byte, i int) int {
	for i < len(raw) && partOfNumber(raw[i]) {
		i++
	}
	return i
}

func partOfNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// tooLarge reports whether a number without its sign is an integer beyond 2^53-1. One
// with a fraction or an exponent is no integer, but a double.
func tooLarge(number []byte) bool {
	if len(number) < exactDigits || bytes.ContainsAny(number, ".eE") {
		return false
	}
	return len(number) > exactDigits || string(number) > largestExact
}
