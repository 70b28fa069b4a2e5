package editors

import (
	"errors"
	"strings"
)

const byteOrderMark = "\ufeff"

// decode returns the text of a file with line ends of \n, and its form.
func decode(data []byte) (text string, form OwnFile) {
	text, form.BOM = strings.CutPrefix(string(data), byteOrderMark)
	if n := strings.Count(text, "\n"); n > 0 && n == strings.Count(text, "\r\n") {
		text, form.CRLF = strings.ReplaceAll(text, "\r\n", "\n"), true
	}
	return text, form
}

// encode returns a text in the form of the file that it was in.
func (f OwnFile) encode(text string) []byte {
	if f.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if f.BOM {
		text = byteOrderMark + text
	}
	return []byte(text)
}

// headParts are the bytes of a file before, in and behind its front matter.
type headParts struct {
	open, front, end string // open and end are the fences
	tight            bool   // no empty line follows
	body             string // without that line
}

// splitHead divides a text at the lines around its front matter. Clients also end it at a
// line that begins with three dashes, the rest of which is text.
func splitHead(text string) (headParts, error) {
	opening, rest := cutLine(text)
	if strings.TrimRight(opening, " \t\r\n") != "---" {
		return headParts{body: text}, nil
	}
	for at := 0; at < len(rest); {
		line, _ := cutLine(rest[at:])
		switch {
		case strings.TrimRight(line, " \t\r\n") != "---" && strings.HasPrefix(line, "---"):
			return headParts{open: opening, front: rest[:at], end: "---", tight: true, body: rest[at+len("---"):]}, nil
		case strings.TrimRight(line, " \t\r\n") == "---":
			body, spaced := strings.CutPrefix(rest[at+len(line):], "\n")
			return headParts{open: opening, front: rest[:at], end: line, tight: !spaced, body: body}, nil
		}
		at += len(line)
	}
	return headParts{}, ErrFence
}

// SplitFront divides the text of a file, whose lines end with \n, at its front matter.
// Blanks behind the fences do not matter. has is false if the text does not begin with
// front matter, which is the case for front matter behind anything else.
func SplitFront(text string) (head, body string, has bool, err error) {
	parts, err := splitHead(text)
	return parts.front, parts.body, parts.open != "", err
}

// fenced returns a body with a front matter before it, if there is any, and ends its
// last line.
func fenced(front, body string) string {
	if front != "" || strings.HasPrefix(body, fence) {
		front = fence + front + fence + "\n"
	}
	return front + endLine(body)
}

// cutLine returns the first line of a text with its end, and the rest.
func cutLine(text string) (line, rest string) {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, ""
}

// sameEnd reports whether a body that was written is that of the rule: a last line
// is ended when it is written.
func sameEnd(written, body string) bool { return written == body || written == endLine(body) }

func endLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// oneLine joins the lines of a text: clients read descriptions of one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// indent moves lines two columns to the right.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			line = "  " + line
		}
		b.WriteString(line)
	}
	return b.String()
}

// Snake makes a text lower case with underscores between its words.
func Snake(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "_")
}

// ErrFence is returned for front matter without an end.
var ErrFence = errors.New("the front matter does not stand between two lines of ---")

const fence = "---\n"
