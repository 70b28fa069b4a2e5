package datatype

import "strconv"

// floatForm reports whether text is in the lexical space of float and double (part 2,
// section 3.2.4.1).
func floatForm(text string) bool {
	switch text {
	case "INF", "-INF", "NaN":
		return true
	}
	end := len(text)
	for i := range len(text) {
		if text[i] == 'e' || text[i] == 'E' {
			end = i
			break
		}
	}
	if _, _, ok := parseDecimal(text[:end]); !ok {
		return false
	}
	if end == len(text) {
		return true
	}
	_, point, ok := parseDecimal(text[end+1:])
	return ok && !point
}

// parseFloat returns the nearest number of a size in bits to text, which has the form of a
// float. There is only one zero.
func parseFloat(text string, bits int) float64 {
	// Out of range, the nearest number is infinite or zero: ParseFloat
	// returns it beside its error. It reads INF and NaN, too.
	f, _ := strconv.ParseFloat(text, bits)
	if f == 0 {
		return 0
	}
	return f
}

// compareFloats orders numbers. NaN equals itself, and is not comparable with others.
func compareFloats(a, b float64) order {
	switch {
	case a < b:
		return less
	case a > b:
		return greater
	case a == b, a != a && b != b:
		return equal
	}
	return incomparable
}
