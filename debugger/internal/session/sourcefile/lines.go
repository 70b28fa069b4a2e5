package sourcefile

import (
	"bufio"
	"io"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Limits of reading source files.
const (
	maxSource     = 16 << 20
	maxSourceLine = 1000
)

// Lines returns lines of a file, counted from 1. Lines that cannot be read are
// missing.
func Lines(file string, first, last int) []string {
	f, err := core.OpenRegular(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var lines []string
	in := bufio.NewReader(io.LimitReader(f, maxSource))
	for n := 1; n <= last; n++ {
		text, err := in.ReadString('\n')
		if err != nil && text == "" {
			break
		}
		if n >= first {
			lines = append(lines, oneLine(text))
		}
	}
	return lines
}

// oneLine makes a line of a file safe to show.
func oneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\t", "    ")
	if len(text) > maxSourceLine {
		text = text[:maxSourceLine] + "…"
	}
	return plain.Line(strings.ToValidUTF8(text, "\uFFFD"))
}

// Line returns the text of a line, "" if there is none.
func Line(file string, line int) string {
	lines := Lines(file, line, line)
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimSpace(lines[0])
}
