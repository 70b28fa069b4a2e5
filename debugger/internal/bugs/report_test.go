package bugs_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

func TestText(t *testing.T) {
	parser := bugs.Finding{File: "src/parser.rs", Line: 142, Title: "Potential null pointer dereference", Confidence: 87}
	for _, c := range []struct {
		name   string
		report bugs.Report
		want   string
	}{
		{
			"documented",
			bugs.Report{Complete: true, Findings: []bugs.Finding{
				parser,
				{File: "src/lexer.rs", Line: 7, Title: "Potential use after free", Confidence: 72},
				{File: "a.c", Line: 1, Title: "Similar code", Confidence: 60},
			}},
			"Found 3 similar patterns:\n\n" +
				"1. src/parser.rs:142 - Potential null pointer dereference\n   Similarity: 87%\n\n" +
				"2. src/lexer.rs:7 - Potential use after free\n   Similarity: 72%\n\n" +
				"3. a.c:1 - Similar code\n   Similarity: 60%",
		},
		{
			"one",
			bugs.Report{Complete: true, Findings: []bugs.Finding{parser}},
			"Found 1 similar pattern:\n\n1. src/parser.rs:142 - Potential null pointer dereference\n   Similarity: 87%",
		},
		{"none", bugs.Report{Complete: true}, "No similar patterns found"},
		{"not all was read", bugs.Report{Files: 12}, "No similar patterns found\n\nOnly 12 files were searched; search again to go on, or search a part of the folder"},
		{
			"a name of two lines",
			bugs.Report{Complete: true, Findings: []bugs.Finding{{File: "a\n2. b.c", Line: 1, Title: "Similar code"}}},
			"Found 1 similar pattern:\n\n1. a\uFFFD2. b.c:1 - Similar code\n   Similarity: 0%",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.report.Text(); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestParseClass(t *testing.T) {
	for _, c := range []struct {
		text string
		want bugs.Class
		ok   bool
	}{
		{"", "", true},
		{"crash", bugs.Crash, true},
		{"memory", bugs.Memory, true},
		{"logic", bugs.Logic, true},
		{"Crash", "", false},
		{"security", "", false},
	} {
		got, err := bugs.ParseClass(c.text)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("ParseClass(%q) = %q, %v", c.text, got, err)
		}
	}
}
