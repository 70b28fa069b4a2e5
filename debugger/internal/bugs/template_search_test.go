package bugs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// callsIn writes files that call a function and returns a request for such calls.
func callsIn(t *testing.T, files, calls int) Request {
	t.Helper()
	folder := t.TempDir()
	for i := range files {
		text := "void f(void) {\n" + strings.Repeat("\tg(1);\n", calls) + "}\n"
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%02d.c", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	template, err := ParseTemplate("$x(")
	if err != nil {
		t.Fatal(err)
	}
	return Request{Path: folder, Template: template, Limit: 5}
}

// The places that are not shown are counted, but not kept.
func TestMatchesAreNotKept(t *testing.T) {
	c := newCode(syntax.LanguageOf("a.c"), nil)
	f, w := findings{}, &wanted{compiledTemplate: &compiledTemplate{}}
	for line := range 1000 {
		f.add(c, w, matched{file: &file{path: "a.c"}, line: line}, 5)
		f.add(c, w, matched{file: &file{path: "test/a.c"}, line: line}, 5)
	}
	if len(f.own) != 5 || len(f.secondary) != 5 || f.own[4].line != 4 || f.more != 2*995 {
		t.Errorf("%d and %d places are kept, %d counted", len(f.own), len(f.secondary), f.more)
	}
	finder, err := New(Config{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	report, err := finder.Find(t.Context(), callsIn(t, 10, 20))
	if err != nil {
		t.Fatal(err)
	}
	// Each file has its definition and 20 calls.
	if n := len(report.Findings); n != 5 || report.More != 10*21-5 || report.Files != 10 || report.Lines != 10*22 || !report.Complete {
		t.Errorf("%d findings, %d more in %d files with %d lines, complete %v", n, report.More, report.Files, report.Lines, report.Complete)
	}
	for i, found := range report.Findings {
		if found.File != "00.c" || found.Line != i+1 {
			t.Errorf("finding %d is %s:%d", i, found.File, found.Line)
		}
	}
}

// A search whose time is over reports that it is not complete.
func TestTemplateWithoutTime(t *testing.T) {
	finder, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	request := callsIn(t, 3, 1)
	if report, err := finder.Find(t.Context(), request); err != nil || !report.Complete {
		t.Fatalf("%v, %v", report, err)
	}
	finder.config.MaxScan = -1 // over before it begins; the files have been read
	report, err := finder.Find(t.Context(), request)
	if err != nil || report.Complete || report.Files != 0 || len(report.Findings) != 0 {
		t.Errorf("%+v, %v", report, err)
	}
}
