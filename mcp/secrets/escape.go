package secrets

// escapes are the lengths of the escape sequences of Go and C by the character behind the
// backslash. The quotes and the backslash stand for themselves and are not here.
var escapes = map[byte]int{
	'a': 2, 'b': 2, 'f': 2, 'n': 2, 'r': 2, 't': 2, 'v': 2, 'e': 2, 'x': 4, 'u': 6, 'U': 10,
	'0': 4, '1': 4, '2': 4, '3': 4,
}

// withoutEscapes returns a text in which spaces stand for the escape sequences of quoted
// strings, so that words begin and end where they do in the strings. All else keeps its
// place.
func withoutEscapes(text string) string {
	var out []byte
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if out == nil {
			out = []byte(text)
		}
		n := escapes[text[i+1]]
		for k := range min(max(n, 1), len(text)-i) {
			out[i+k] = ' '
		}
		i += max(n, 2) - 1
	}
	if out == nil {
		return text
	}
	return string(out)
}
