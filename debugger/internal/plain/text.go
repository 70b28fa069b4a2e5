package plain

import (
	"strings"
	"unicode"
)

// Line makes text safe to show in a line: nothing in it ends the line or
// turns around what follows.
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

// Lines is text of several lines that is safe to show.
func Lines(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = Line(strings.TrimRight(line, "\r"))
	}
	return strings.Join(lines, "\n")
}
