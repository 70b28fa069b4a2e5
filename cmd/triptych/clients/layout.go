package clients

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// A layout describes how a file is written: its indentation, and how a
// line ends.
type layout struct {
	indent  string
	newline string
}

// layoutOf looks at the first indented line of a file.
func layoutOf(text []byte) layout {
	l := layout{indent: "  ", newline: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		l.newline = "\r\n"
	}
	for line := range bytes.Lines(text) {
		code := bytes.TrimLeft(line, " \t")
		if len(code) < len(line) && bytes.HasPrefix(code, []byte(`"`)) {
			l.indent = string(line[:len(line)-len(code)])
			break
		}
	}
	return l
}

// line starts a new line at that depth.
func (l layout) line(depth int) hujson.Extra {
	return hujson.Extra(l.newline + strings.Repeat(l.indent, depth))
}

// value is a value whose first line begins at that depth.
func (l layout) value(v any, depth int) hujson.ValueTrimmed {
	text := indented(v, strings.Repeat(l.indent, depth), l.indent)
	text = bytes.ReplaceAll(text, []byte("\n"), []byte(l.newline))
	parsed, err := hujson.Parse(text)
	if err != nil {
		panic("clients: JSON of our own does not parse: " + err.Error())
	}
	return parsed.Value
}
