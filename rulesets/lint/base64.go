package lint

import (
	"strings"
	"unicode"
)

const (
	minRun   = 200 // characters of base64 in one run
	minLines = 4   // lines of base64 in a row
	minLine  = 60  // characters of base64 in such a line
)

// checkBase64 reports long texts in base64, apart from pictures.
func checkBase64(t text) {
	last := -1
	for _, spans := range [][][2]int{base64Lines(t.s), base64Runs(t.s)} {
		for _, at := range spans {
			before := t.s[max(0, at[0]-40):at[0]]
			isPicture := strings.Contains(before, "data:image/") || strings.Contains(before, "data:font/")
			if run := t.s[at[0]:at[1]]; at[0] >= last && !isPicture && isMixed(run) {
				t.report("base64", Warning, at[0], "%d characters of base64 that people cannot read", len(run))
				last = at[1]
			}
		}
	}
}

// isMixed reports whether a text has both cases and digits, as encoded data have.
func isMixed(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && strings.ContainsFunc(s, unicode.IsLower) && strings.ContainsFunc(s, unicode.IsDigit)
}

// base64Runs returns the matches of [A-Za-z0-9+/_-]{200,}={0,2}. It visits each byte
// once, where package regexp would keep hundreds of states for each.
func base64Runs(s string) (spans [][2]int) {
	for i := 0; i < len(s); i++ {
		start := i
		for i < len(s) && (isBase64(s[i]) || s[i] == '_' || s[i] == '-') {
			i++
		}
		if i-start >= minRun {
			i = skipPadding(s, i)
			spans = append(spans, [2]int{start, i})
			i-- // the byte behind may begin the next run
		}
	}
	return spans
}

// base64Lines returns the runs of at least minLines lines that each consist of at least
// minLine characters of base64, apart from white space and the marks of a quotation
// before and white space behind.
func base64Lines(s string) (spans [][2]int) {
	start, lines, at := 0, 0, 0
	for line := range strings.Lines(s) {
		if isBase64Line(line) {
			if lines++; lines == 1 {
				start = at
			}
		} else {
			if lines >= minLines {
				spans = append(spans, [2]int{start, at})
			}
			lines = 0
		}
		at += len(line)
	}
	if lines >= minLines {
		spans = append(spans, [2]int{start, at})
	}
	return spans
}

// isBase64Line reports whether a line, with its newline if it has one, is a line of
// base64: [ \t>]*[A-Za-z0-9+/]{60,}={0,2}[ \t]*\r?\n?
func isBase64Line(line string) bool {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	line = strings.TrimRight(strings.TrimLeft(line, " \t>"), " \t")
	n := 0
	for n < len(line) && isBase64(line[n]) {
		n++
	}
	return n >= minLine && skipPadding(line, n) == len(line)
}

// skipPadding returns the index behind the padding at i: up to two equals signs.
func skipPadding(s string, i int) int {
	for n := 0; n < 2 && i < len(s) && s[i] == '='; n++ {
		i++
	}
	return i
}

// isBase64 reports whether a byte is of the alphabet of base64 (RFC 4648, section 4).
func isBase64(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}
