package editors

import "strings"

// maxDescription is the longest description that is made of a text, in bytes.
const maxDescription = 160

// Describe returns the first heading or sentence of a Markdown text, whichever comes
// first.
func Describe(body string) string {
	inCode := false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		text := strings.TrimLeft(line, "#")
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			inCode = !inCode
		case inCode, strings.Trim(line, "-=*_ ") == "", strings.HasPrefix(line, "<"):
		case text != line && strings.HasPrefix(text, " "):
			return clip(strings.Trim(text, "# "))
		default:
			return clip(firstSentence(strings.TrimLeft(line, "->*+ ")))
		}
	}
	return ""
}

// firstSentence returns a line up to the end of its first sentence.
func firstSentence(line string) string {
	if end := strings.Index(line, ". "); end >= 0 {
		return line[:end+1]
	}
	return line
}

// clip takes the marks of emphasis and code out and cuts a long text between words.
func clip(text string) string {
	text = strings.NewReplacer("**", "", "`", "").Replace(text)
	if len(text) <= maxDescription {
		return text
	}
	cut := strings.ToValidUTF8(text[:maxDescription], "")
	if space := strings.LastIndexByte(cut, ' '); space > 0 {
		cut = cut[:space]
	}
	return cut + "…"
}
