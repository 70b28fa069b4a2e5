package bugs

import (
	"bufio"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A Hunk is one change in a patch.
type Hunk struct {
	File string // path before the change
	Line int    // first changed line, before the change
	Last int    // last changed line

	old, fresh     string // the lines before and after the change, including context
	focus          int    // the line of old, from 1, where the change begins
	removed, added string
}

// ErrNoHunks is returned for a patch without changes.
var ErrNoHunks = errors.New("it is no unified diff with changes, as git diff prints it")

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// ParsePatch parses a unified diff, as git diff and git show print it. It omits
// new files, which have no code to compare with.
func ParsePatch(text string) ([]Hunk, error) {
	p := patchReader{lines: bufio.NewScanner(strings.NewReader(text))}
	p.lines.Buffer(nil, 1<<20)
	for p.lines.Scan() {
		line := p.lines.Text()
		switch numbers := hunkHeader.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "--- "):
			p.file = patchPath(line[4:])
		case numbers != nil && p.file != "":
			p.hunk(numbers)
		}
	}
	if err := p.lines.Err(); err != nil {
		return nil, fmt.Errorf("the patch: %w", err)
	}
	if len(p.hunks) == 0 {
		return nil, ErrNoHunks
	}
	return p.hunks, nil
}

// patchPath returns the path in the header of a file, or "".
func patchPath(word string) string {
	name, _, _ := strings.Cut(word, "\t")
	if unquoted, err := strconv.Unquote(name); err == nil {
		name = unquoted
	}
	if name == "/dev/null" {
		return ""
	}
	return path.Clean(strings.TrimPrefix(name, "a/"))
}

type patchReader struct {
	lines *bufio.Scanner
	file  string
	hunks []Hunk
}

// hunk reads the lines of a hunk. header holds the line numbers.
func (p *patchReader) hunk(header []string) {
	count := func(i int) int {
		if n, err := strconv.Atoi(header[i]); err == nil {
			return n
		}
		return 1 // the number may be missing
	}
	first, old, fresh := count(1), count(2), count(4)
	var b blocks
	for (old > 0 || fresh > 0) && p.lines.Scan() {
		text := p.lines.Text()
		if text == "" {
			text = " "
		}
		switch text[0] {
		case '-':
			old--
		case '+':
			fresh--
		case '\\':
			continue
		default:
			old, fresh = old-1, fresh-1
		}
		b.add(text[0], text[1:]+"\n")
	}
	for _, h := range b.parts {
		h.File, h.old, h.fresh = p.file, b.old, b.fresh
		h.Line, h.Last = first+h.focus-1, first+h.Last-1
		p.hunks = append(p.hunks, h)
	}
}

// partedBy is the number of unchanged lines between two changes of a hunk from which each
// is a change by itself: git prints close ones as one hunk.
const partedBy = 4

// blocks collects the changes of a hunk.
type blocks struct {
	parts      []Hunk
	old, fresh string
	line       int // number of the line in old
	unchanged  int // lines since the last change
}

// add adds a line with its sign.
func (b *blocks) add(sign byte, text string) {
	if sign != '-' && sign != '+' {
		b.line++
		b.unchanged++
		b.old += text
		b.fresh += text
		return
	}
	if len(b.parts) == 0 || b.unchanged >= partedBy {
		b.parts = append(b.parts, Hunk{})
	}
	h := &b.parts[len(b.parts)-1]
	b.unchanged = 0
	if sign == '-' {
		b.line++
		b.old += text
		h.removed += text
		h.changes(b.line, b.line)
		return
	}
	b.fresh += text
	h.added += text
	h.changes(max(1, b.line), b.line)
}

// changes records that lines of old change.
func (h *Hunk) changes(from, to int) {
	if h.focus == 0 {
		h.focus = from
	}
	h.Last = max(h.Last, from, to)
}
