package xml_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// elementStart matches where a line can be broken without a change of meaning.
var elementStart = regexp.MustCompile(`<[a-z]`)

// spoilt is a document that was changed in several places, an element a line.
func (g *generator) spoilt(text string) string {
	for range 1 + g.IntN(8) {
		text = g.mutate(text)
	}
	return elementStart.ReplaceAllString(text, "\n$0")
}

// TestViolations compares what is wrong with documents line by line: wherever
// xmllint sees something, so do we. It is not so the other way round, as xmllint
// leaves an element at the first child that is out of place.
func TestViolations(t *testing.T) {
	xmllint(t)
	for i, s := range grownSchemas {
		t.Run(s.name, func(t *testing.T) {
			dir := s.folder(t)
			g := newGenerator(uint64(100 + i))
			var paths []string
			for n := range 400 {
				paths = append(paths, save(t, dir, fmt.Sprintf("%03d.xml", n), g.spoilt(s.document)))
			}
			compareViolations(t, dir, paths)
		})
	}
}

func compareViolations(t *testing.T, dir string, paths []string) {
	t.Helper()
	theirs := lintViolations(t, dir, paths)
	lib := open(t, document.Config{Roots: []string{dir}})
	told, seen := 0, 0
	for _, path := range paths {
		ours := violations(t, lib, path)
		for _, line := range theirs[path] {
			seen++
			if !slices.ContainsFunc(ours, func(v document.Violation) bool { return v.Line == line.number }) {
				t.Errorf("%s: xmllint says %s\nwe say %v", path, line.text, ours)
			}
		}
		told += len(ours)
	}
	t.Logf("%d violations, of which xmllint sees %d", told, seen)
	if told < seen {
		t.Error("that is fewer than xmllint sees")
	}
}

func violations(t *testing.T, lib *document.Library, path string) []document.Violation {
	t.Helper()
	_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: path, Schema: "s.xsd"})
	if wrong, ok := errors.AsType[*document.ViolationsError](err); ok {
		return wrong.Violations
	}
	if err != nil {
		t.Fatal(err)
	}
	return nil
}

// A lintLine is one message of xmllint.
type lintLine struct {
	number int
	text   string
}

var lintForm = regexp.MustCompile(`^(.*):(\d+): element .*: Schemas validity error : (.*)$`)

// facet begins a message of xmllint that another one about the value follows.
const facet = "[facet "

// lintViolations returns xmllint's violations of files against s.xsd, by file. Each
// violation counts once.
func lintViolations(t *testing.T, dir string, paths []string) map[string][]lintLine {
	t.Helper()
	args := append([]string{"--noout", "--nonet", "--schema", filepath.Join(dir, "s.xsd")}, paths...)
	out, _ := exec.CommandContext(t.Context(), "xmllint", args...).CombinedOutput() // it fails if one of them does
	all := map[string][]lintLine{}
	for line := range strings.Lines(string(out)) {
		m := lintForm.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || strings.Contains(m[3], facet) {
			continue
		}
		l := lintLine{text: m[3]}
		if _, err := fmt.Sscan(m[2], &l.number); err != nil {
			t.Fatal(err)
		}
		all[m[1]] = append(all[m[1]], l)
	}
	return all
}

// TestNothingElseIsWrong has one thing wrong at the root of documents that are
// valid otherwise: whatever was looked at again because of that is still right.
func TestNothingElseIsWrong(t *testing.T) {
	for i, s := range grownSchemas {
		dir := s.folder(t)
		lib := open(t, document.Config{Roots: []string{dir}})
		g := newGenerator(uint64(200 + i))
		for range 200 {
			text := g.mutant(s.document)
			if len(violations(t, lib, save(t, dir, "doc.xml", text))) > 0 {
				continue
			}
			text = strings.Replace(text, "<r", `<r wrong=""`, 1)
			got := violations(t, lib, save(t, dir, "doc.xml", text))
			if len(got) != 1 || got[0].Path != "/r[1]/@wrong" {
				t.Errorf("%s:\n%s\ngot %v, want the attribute of the root only", s.name, text, got)
			}
		}
	}
}
