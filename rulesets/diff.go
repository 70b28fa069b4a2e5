package rulesets

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Diff returns the difference between two revisions as a unified diff: of the ruleset,
// then of each of its files.
func Diff(from, to ruleset.Revision, contents Contents) string {
	return unified(documents(from, to, contents))
}

func unified(documents []document) string {
	var b strings.Builder
	for _, d := range documents {
		text := d.note
		if text == "" {
			text = udiff.Unified(d.from, d.to, d.before, d.after)
		}
		b.WriteString(text)
	}
	return b.String()
}

// A document is a text in two revisions, with its name in each.
type document struct {
	from, to      string
	before, after string
	note          string // what to show instead, for files that are not text
}

// documents returns what a diff compares: the ruleset, and the files that differ.
func documents(from, to ruleset.Revision, contents Contents) []document {
	main := document{from: revisionName(from), to: revisionName(to), before: plainText(from), after: plainText(to)}
	return append([]document{main}, fileDocuments(from, to, contents)...)
}

func revisionName(r ruleset.Revision) string { return fmt.Sprintf("%s@%d", r.Content.Name, r.Number) }

// plainText returns the content of a revision as a text to compare, or "" for a
// deletion.
func plainText(r ruleset.Revision) string {
	if r.Deleted {
		return ""
	}
	c := r.Content
	text := "description: " + c.Description + "\ntags: [" + strings.Join(c.Tags, ", ") + "]\n" + c.Extra + "---\n" + c.Markdown
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// wordContext is the number of lines around a change that [WordDiff] shows.
const wordContext = 2

// WordDiff returns the difference between two revisions by words, in the format
// of git diff --word-diff: [-deleted-] and {+added+}, with context lines. It
// returns "" if there is none. An ellipsis stands for omitted lines.
func WordDiff(from, to ruleset.Revision, contents Contents) string {
	return byWords(documents(from, to, contents))
}

func byWords(documents []document) string {
	var b strings.Builder
	for _, d := range documents {
		if d.note != "" {
			b.WriteString(d.note)
		} else {
			d.appendWords(&b)
		}
	}
	return b.String()
}

// appendWords writes the difference by words.
func (d *document) appendWords(b *strings.Builder) {
	marked := markWords(words(d.before), words(d.after))
	if !slices.ContainsFunc(marked, func(l markedLine) bool { return l.changed }) {
		return
	}
	fmt.Fprintf(b, "--- %s\n+++ %s\n", d.from, d.to)
	left := false
	for i, line := range marked {
		near := marked[max(0, i-wordContext):min(len(marked), i+wordContext+1)]
		if slices.ContainsFunc(near, func(l markedLine) bool { return l.changed }) {
			b.WriteString(line.text + "\n")
			left = false
		} else if !left {
			b.WriteString("…\n")
			left = true
		}
	}
}

// words splits a text into words, runs of blanks, and line ends.
func words(text string) (all []string) {
	kind := func(r rune) int {
		switch {
		case r == '\n':
			return 0
		case unicode.IsSpace(r):
			return 1
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
			return 2
		}
		return 3
	}
	begin, last := 0, -1
	for at, r := range text {
		now := kind(r)
		if last >= 0 && (now != last || now == 0 || now == 3) {
			all = append(all, text[begin:at])
			begin = at
		}
		last = now
	}
	if begin < len(text) {
		all = append(all, text[begin:])
	}
	return all
}

// A markedLine is a line in which changed words are marked.
type markedLine struct {
	text    string
	changed bool
}

// markWords returns the lines of both texts with the differences marked.
func markWords(before, after []string) []markedLine {
	known := map[string]rune{}
	m := &marker{lines: []markedLine{{}}}
	at := 0
	for _, d := range lcs.DiffRunes(numbers(known, before), numbers(known, after)) {
		m.same(before[at:d.Start])
		m.change(before[d.Start:d.End], "[-", "-]")
		m.change(after[d.ReplStart:d.ReplEnd], "{+", "+}")
		at = d.End
	}
	m.same(before[at:])
	if last := len(m.lines) - 1; m.lines[last].text == "" {
		m.lines = m.lines[:last] // the end of the last line does not start another
	}
	return m.lines
}

// numbers assigns a number to each distinct word.
func numbers(known map[string]rune, words []string) []rune {
	all := make([]rune, len(words))
	for i, word := range words {
		n, ok := known[word]
		if !ok {
			n = rune(len(known))
			known[word] = n
		}
		all[i] = n
	}
	return all
}

// A marker builds lines with marked words.
type marker struct{ lines []markedLine }

func (m *marker) last() *markedLine { return &m.lines[len(m.lines)-1] }

func (m *marker) same(words []string) {
	for _, word := range words {
		if word == "\n" {
			m.lines = append(m.lines, markedLine{})
		} else {
			m.last().text += word
		}
	}
}

// change adds words in marks, which are closed at the end of each line.
func (m *marker) change(words []string, begin, end string) {
	text := strings.Join(words, "")
	for text != "" {
		line, rest, more := strings.Cut(text, "\n")
		last := m.last()
		last.changed = true
		if line != "" {
			last.text += begin + line + end
		}
		if more {
			m.lines = append(m.lines, markedLine{changed: rest != ""})
		}
		text = rest
	}
}

// A Comparison is the difference between two revisions in structured answers.
type Comparison struct {
	Name        string     `json:"name"`
	From        int        `json:"from"`
	To          int        `json:"to"`
	Same        bool       `json:"same"`
	Description *[2]string `json:"description,omitempty"` // before and after; nil if unchanged
	TagsAdded   []string   `json:"tags_added,omitempty"`
	TagsRemoved []string   `json:"tags_removed,omitempty"`
	Unified     string     `json:"unified"`
	Words       string     `json:"words"`
}

// Compare returns the difference between two revisions.
func Compare(from, to ruleset.Revision, contents Contents) Comparison {
	differing := documents(from, to, contents)
	c := Comparison{
		Name: string(to.Content.Name), From: from.Number, To: to.Number,
		Same:    from.Deleted == to.Deleted && ruleset.SameContent(from.Content, to.Content) && ruleset.SameFiles(from.Content.Files, to.Content.Files),
		Unified: unified(differing), Words: byWords(differing),
	}
	if from.Content.Description != to.Content.Description {
		c.Description = &[2]string{from.Content.Description, to.Content.Description}
	}
	c.TagsAdded, c.TagsRemoved = missing(to.Content.Tags, from.Content.Tags), missing(from.Content.Tags, to.Content.Tags)
	return c
}

// missing returns the tags that are not in others.
func missing(tags, others []string) (all []string) {
	for _, tag := range tags {
		if !slices.Contains(others, tag) {
			all = append(all, tag)
		}
	}
	return all
}
