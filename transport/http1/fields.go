package http1

import "strings"

// appendField appends a field line. An invalid name is dropped; bytes that would end a
// value become spaces, so that a value from a client cannot begin a field of its own (RFC
// 9110, section 5.5).
func appendField(out []byte, name, value string) []byte {
	if name == "" || !is([]byte(name), inName) {
		return out
	}
	out = append(append(out, name...), ": "...)
	start := len(out)
	out = append(out, trimmed(value)...)
	for i, c := range out[start:] {
		if c == '\r' || c == '\n' || c == 0 {
			out[start+i] = ' '
		}
	}
	return append(out, "\r\n"...)
}

// trimmed returns a value without white space at its ends.
func trimmed(value string) string {
	if n := len(value); n > 0 && value[0] > ' ' && value[n-1] > ' ' {
		return value
	}
	return strings.Trim(value, " \t\r\n")
}
