package http1

import "strings"

// appendField appends a field. An invalid name is dropped; bytes that would end a value
// become spaces.
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
