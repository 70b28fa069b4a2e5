package plain

import (
	"strings"
	"unicode"
)

// Line makes text safe to show in a line: it removes control characters and
// line breaks, and those that change the direction of text.
func Line(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.In(r, unicode.Bidi_Control):
			return -1
		}
		return r
	}, text)
}

// Lines is Line for text of several lines.
func Lines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = Line(strings.TrimRight(line, "\r"))
	}
	return strings.Join(lines, "\n")
}
