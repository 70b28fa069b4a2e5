package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// No variable that a flag's usage names is missing among those that help shows.
func TestVariablesAreDocumented(t *testing.T) {
	var named []string
	for _, s := range command.Settings(root(app.New())) {
		named = append(named, s.Variables...)
	}
	for _, it := range command.OtherVariables {
		named = append(named, strings.Split(it.Term, ", ")...)
	}
	eachCommand(t, func(t *testing.T, _ string, row command.Command) {
		if row.Flags == nil {
			return
		}
		set := pflag.NewFlagSet(row.Name, pflag.ContinueOnError)
		row.Flags(set)
		set.VisitAll(func(f *pflag.Flag) {
			for _, name := range variable.FindAllString(f.Usage, -1) {
				if !slices.Contains(named, name) && !slices.Contains(command.Describe(f).Variables, name) {
					t.Errorf("--%s names %s, which is no variable of a setting", f.Name, name)
				}
			}
		})
	})
}

var variable = regexp.MustCompile(`\b(TRIPTYCH|VALKEY|LOG)_[A-Z_]+\b`)

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	link      = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	marks     = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// Links between documents lead to files and headings that are there.
func TestLinksLeadSomewhere(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range append(documents, filepath.Join(top, "README.md"), filepath.Join(top, "CHANGELOG.md")) {
		for _, m := range link.FindAllStringSubmatch(prose(t, path), -1) {
			if strings.Contains(m[1], ":") {
				continue // elsewhere
			}
			found++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", path, err)
			} else if anchor != "" && !anchors(t, target)[anchor] {
				t.Errorf("%s: %s has no heading %s", path, target, anchor)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d links were found", found)
	}
}

// prose is a document without its examples.
func prose(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return codeBlock.ReplaceAllString(string(text), "")
}

// anchors returns the fragments of links to a document's headings.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(prose(t, path), -1) {
		all[strings.ReplaceAll(marks.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}

// sourcePath matches paths of files and folders of the code, as the documents for
// contributors name them.
var sourcePath = regexp.MustCompile(`(?:^|[^A-Za-z/])((?:jsonrpc|mcp|transport|rulesets|aoc|debugger|cmd|conformance)/[A-Za-z0-9_/]*[A-Za-z0-9_](?:\.[a-z]+)?)`)

// The documents for contributors name files and folders that exist.
func TestDocumentsNameFiles(t *testing.T) {
	for _, name := range []string{"docs/architecture.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range sourcePath.FindAllSubmatchIndex(text, -1) {
			path := string(text[at[2]:at[3]])
			if next := text[at[3]:]; bytes.HasPrefix(next, []byte("…")) || bytes.HasPrefix(next, []byte("*")) {
				continue // a pattern
			}
			if _, err := os.Stat(filepath.Join(top, path)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
