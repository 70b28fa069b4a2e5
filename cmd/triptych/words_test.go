package main

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A bannedPhrase is wording that this project does not use in comments and
// documents.
type bannedPhrase struct {
	pattern *regexp.Regexp
	reason  string
	instead string
}

// banned is the list of phrases. Add a row when a phrase has gone from the tree.
var banned = []bannedPhrase{
	{
		regexp.MustCompile(`\b(is what|are what|are those)\b`),
		"it points at a thing instead of naming it",
		`the noun and a plain verb: "returns the …", "holds the …"`,
	},
	{
		regexp.MustCompile(`\b(is who|is how|is where)\b`),
		"it reads as the answer to a question that nobody asked",
		`"the caller", "by", "in": name the person, the means or the place`,
	},
	{
		regexp.MustCompile(`(?i)\b(whoever|somebody|of whom)\b`),
		"it leaves open who acts",
		`"the caller", "the client", "another process", "anyone who"`,
	},
	{
		regexp.MustCompile(`(?i)\bnobody\b`),
		"it hides the subject in a negation",
		`"no goroutine", "no client", or the active sentence without it`,
	},
	{
		regexp.MustCompile(`(?i)\b(heeds?|owes?|has it that|is asked for it)\b`),
		"it is no term of the field",
		`"respects", "must still return", "says", "is requested"`,
	},
	{
		regexp.MustCompile(`^//\s*\w+ (also )?(says|tells) whether\b`),
		"a function does not speak",
		`"reports whether"`,
	},
	{
		regexp.MustCompile(`(?i)\b(epitaph|lookout|standIn)\b`),
		"it is a metaphor with a meaning of its own in this code",
		`the terms of the field: "last state", "stop condition", "file override"`,
	},
}

// Comments and documents are written in the field's own words.
func TestBannedPhrases(t *testing.T) {
	sample.Alone(t)
	for path := range goFiles(t) {
		if path != "cmd/triptych/words_test.go" { // it spells what it bans
			checkWording(t, path, comments(t, path))
		}
	}
	documents, err := filepath.Glob(filepath.Join(top, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(documents, more...) {
		path, err := filepath.Rel(top, file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkWording(t, path, map[int]string{1: string(text)})
	}
}

// checkWording reports the banned phrases of some texts, which are given by the
// numbers of their first lines.
func checkWording(t *testing.T, path string, texts map[int]string) {
	t.Helper()
	for first, text := range texts {
		for i, line := range strings.Split(text, "\n") {
			for _, row := range banned {
				if found := row.pattern.FindString(line); found != "" {
					t.Errorf("%s:%d: %q: %s; write %s", path, first+i, found, row.reason, row.instead)
				}
			}
		}
	}
}

// comments returns the comments of a Go file by the numbers of their lines.
func comments(t *testing.T, path string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, path))
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	found := map[int]string{}
	for {
		switch pos, kind, literal := s.Scan(); kind {
		case token.EOF:
			return found
		case token.COMMENT:
			found[file.Line(pos)] = literal
		}
	}
}

// The list finds the phrases that it was written for.
func TestBannedPhrasesAreFound(t *testing.T) {
	for line, want := range map[string]bool{
		"// tells makes what tells that it is over: that is what it does.": true,
		"// Whoever calls Commit writes for all who wait.":                 true,
		"// isOver says whether the server closes the connection.":         true,
		"// Commit waits until the batch that holds seq is written.":       false,
	} {
		got := slices.ContainsFunc(banned, func(row bannedPhrase) bool { return row.pattern.MatchString(line) })
		if got != want {
			t.Errorf("%s: found %v, want %v", line, got, want)
		}
	}
}
