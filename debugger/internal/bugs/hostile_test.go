package bugs

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

func newTestAnalyst(t testing.TB) *analyst {
	t.Helper()
	a, err := newAnalyst()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// lines repeats a text, with a line end now and then, to about n bytes.
func lines(text string, n int) string {
	return strings.Repeat(strings.Repeat(text, max(1, 60/len(text)))+"\n", n/60)
}

// Texts made to be slow are read in little time, in every language.
func TestHostileTexts(t *testing.T) {
	a := newTestAnalyst(t)
	size, langs := 3_000, syntax.Languages
	if !sample.Whole() {
		size, langs = 1_000, syntax.Languages[:5]
	}
	for name, text := range map[string]string{
		"open parentheses":  lines("(", size),
		"open braces":       lines("{", size),
		"closed braces":     lines("}", size),
		"functions":         lines("f(){", size),
		"heads":             lines("func struct { ", size),
		"lists and bodies":  lines(") {", size),
		"definitions":       lines("def f(", size),
		"freed":             lines("free(p);", size),
		"paths":             lines("a.b.", size),
		"arrows":            lines("p->p->", size),
		"assignments":       lines("p = malloc(", size),
		"open comment":      lines("/* ", size),
		"open string":       lines("\" ", size),
		"open text":         lines("'''", size),
		"templates":         lines("a<", size),
		"generic lifetimes": lines("'a ", size),
		"backslashes":       lines("\\", size),
		"spaces":            lines(" ", size),
		"not UTF-8":         lines("\xff\xfea ", size),
		"letters":           lines("ä", size),
		"line ends":         strings.Repeat("\n", size),
		"conditions":        lines("#if 0\n", size),
		"divisions":         lines("a / b / c;", size),
		"interpolations":    lines("f\"{", size),
	} {
		for i := range langs {
			start := time.Now()
			l := listed{path: "a", lang: &syntax.Languages[i]}
			f, err := a.analyse(t.Context(), newDictionary(), l, text)
			if err != nil {
				t.Errorf("%s in %s: %v", name, syntax.Languages[i].Name, err)
				continue
			}
			check(t, f)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%s in %s took %v", name, syntax.Languages[i].Name, took)
			}
		}
	}
}

// check reports what does not hold of a file.
func check(t *testing.T, f *file) {
	t.Helper()
	n := len(f.stream.codes)
	if len(f.stream.names) != n || len(f.sketch)%bands != 0 {
		t.Fatalf("%d codes, %d names, %d keys", n, len(f.stream.names), len(f.sketch))
	}
	last := 0
	for _, fn := range f.functions {
		if int(fn.begin) < last || fn.end < fn.begin || int(fn.end) > n {
			t.Fatalf("function [%d:%d) of %d tokens, after %d", fn.begin, fn.end, n, last)
		}
		last = int(fn.end)
	}
	for _, r := range f.risks {
		if r.at < 0 || int(r.at) > n || r.line < 1 {
			t.Fatalf("risk at %d, line %d", r.at, r.line)
		}
	}
	for i := 1; i < len(f.stream.starts); i++ {
		if f.stream.starts[i] < f.stream.starts[i-1] {
			t.Fatalf("line %d begins before line %d", i+1, i)
		}
	}
}

// Minified and binary texts are not read at all.
func TestReadable(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"empty", "", true},
		{"short", "int a;", true},
		{"many lines", strings.Repeat("int a;\n", 10_000), true},
		{"longest line", strings.Repeat("a", maxLine-1) + "\n" + strings.Repeat("int a;\n", 10_000), true},
		{"too long a line", "int a;\n" + strings.Repeat("a", maxLine+1), false},
		{"too long a line in the middle", "int a;\n" + strings.Repeat("a", maxLine+1) + "\nint b;\n", false},
		{"binary", "int a;\x00", false},
	} {
		if got := readable(c.text); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAnalyseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := listed{path: "a.c", lang: languageNamed(t, "C")}
	if _, err := newTestAnalyst(t).analyse(ctx, newDictionary(), l, "int a;"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// No text breaks the analysis.
func FuzzAnalyse(f *testing.F) {
	for i, row := range sampled {
		text, err := os.ReadFile("testdata/rules/" + row.family + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "\n# ") {
			f.Add(uint8(i), part)
		}
	}
	a, err := newAnalyst()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, lang uint8, text string) {
		l := listed{path: "a", lang: &syntax.Languages[int(lang)%len(syntax.Languages)]}
		got, err := a.analyse(t.Context(), newDictionary(), l, text)
		if err != nil {
			t.Fatal(err)
		}
		check(t, got)
	})
}
