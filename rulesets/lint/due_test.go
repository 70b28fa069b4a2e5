package lint_test

import (
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A text is due from the day after review_after, and a form that was not filled in is told.
func TestDue(t *testing.T) {
	day := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	for _, tt := range []struct {
		extra string
		now   time.Time
		want  string // of all findings
	}{
		{"owner: ann\nreview_after: 2026-11-30\n", day, ""},
		{"owner: ann\nreview_after: 2026-11-30\n", day.Add(time.Second), "a (front matter): warning: review: review_after 2026-11-30 has passed; owner: ann"},
		{"review_after: '2026-11-30'\n", day.Add(time.Hour), "a (front matter): warning: review: review_after 2026-11-30 has passed; owner: nobody"},
		{"review_after: |\n  2026-11-30\nowner: [ann, bob]\n", day.Add(time.Hour), "a (front matter): warning: review: review_after 2026-11-30 has passed; owner: ann, bob"},
		{"review_after: 2026-11-30\n", time.Time{}, ""},
		{"status: deprecated\nowner: ann\n", day, "a (front matter): note: review: status is deprecated; owner: ann"},
		{"status: active\n", day, ""},
		{"review_after:\n", day, "a (front matter): warning: front-matter: review_after: must be a day such as 2026-11-30"},
		{"review_after: ''\n", day, "a (front matter): warning: front-matter: review_after: must be a day such as 2026-11-30"},
		{"review_after: ~\n", day, "a (front matter): warning: front-matter: review_after: must be a day such as 2026-11-30"},
		{"review_after: |\n", day, "a (front matter): warning: front-matter: review_after: must be a day such as 2026-11-30"},
		{"review_after: soon\n", day, "a (front matter): warning: front-matter: review_after: must be a day such as 2026-11-30"},
	} {
		got := ""
		for _, f := range lint.All([]ruleset.Ruleset{{Meta: ruleset.Meta{Name: "a", Description: "d"}, Markdown: "text", Extra: tt.extra}}, lint.Options{Now: tt.now}) {
			got += f.String()
		}
		if got != tt.want {
			t.Errorf("%q at %s: %s, want %s", tt.extra, tt.now, got, tt.want)
		}
	}
}
