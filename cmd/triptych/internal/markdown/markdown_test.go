package markdown_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/markdown"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == markdown.WorkerCommand {
		os.Exit(markdown.WorkerMain())
	}
	os.Exit(m.Run())
}

func renderer(t *testing.T) *markdown.Renderer {
	t.Helper()
	worker, ok := markdown.Self()
	if !ok {
		t.Fatal("this program is not found")
	}
	return markdown.New(worker)
}

// What people write is rendered, and nothing that a browser would run.
func TestRender(t *testing.T) {
	r := renderer(t)
	for text, want := range map[string]string{
		"# Title\n\n*a* [b](https://example.com)": `<h1>Title</h1>`,
		"| a | b |\n|---|---|\n| 1 | 2 |":         "<table>",
		"<script>alert(1)</script>":               "<!-- raw HTML omitted -->",
		"[x](javascript:alert(1))":                `<a href="">x</a>`,
		strings.Repeat("> ", 20) + "deep":         "<blockquote>",
		"":                                        "",
	} {
		html, err := r.Render(t.Context(), text)
		if err != nil || !strings.Contains(html, want) || strings.Contains(html, "<script") || strings.Contains(html, "javascript") {
			t.Errorf("%q: %q, %v, want %q", text, html, err, want)
		}
	}
}

// hostile lists texts that take the square of their size in time or memory in one parser of
// Markdown or another, or much HTML.
func hostile() map[string]string {
	return map[string]string{
		"a table that rows are filled up to": strings.Repeat("a|", 2000) + "\n" + strings.Repeat("-|", 2000) + "\n" + strings.Repeat("|b\n", 3000),
		"such a table in a quote":            "> " + strings.Repeat("a|", 2000) + "\n> " + strings.Repeat("-|", 2000) + "\n" + strings.Repeat("> |b\n", 3000),
		"such a table in a list":             "- " + strings.Repeat("a|", 2000) + "\n  " + strings.Repeat("-|", 2000) + "\n" + strings.Repeat("  |b\n", 3000),
		"many small tables":                  strings.Repeat("a|b\n-|-\n1|2\n\n", 15_000),
		"open links":                         strings.Repeat("[a](", 60_000),
		"open links with <":                  strings.Repeat("[a](<b", 40_000),
		"open brackets":                      strings.Repeat("[", 250_000),
		"closed brackets":                    strings.Repeat("]", 250_000),
		"brackets in brackets":               strings.Repeat("[", 100_000) + "a" + strings.Repeat("]", 100_000),
		"pictures":                           strings.Repeat("![", 120_000),
		"emphasis":                           strings.Repeat("a_", 120_000),
		"emphasis of two kinds":              strings.Repeat("*a _b ", 40_000),
		"long runs of emphasis":              strings.Repeat("*", 120_000) + "a" + strings.Repeat("*", 120_000),
		"strikes":                            strings.Repeat("~~a ", 60_000),
		"quotes":                             strings.Repeat(">", 200_000),
		"quotes with blanks":                 strings.Repeat("> ", 100_000) + "a",
		"lists":                              strings.Repeat("- ", 100_000) + "a",
		"a staircase of lists":               staircase(700),
		"numbered lists":                     strings.Repeat("1. ", 80_000) + "a",
		"code spans":                         backticks(700),
		"open fences":                        strings.Repeat("```\n", 60_000),
		"open HTML":                          strings.Repeat("<!--", 60_000),
		"open tags":                          strings.Repeat("<a ", 80_000),
		"processing instructions":            strings.Repeat("<?", 120_000),
		"CDATA":                              strings.Repeat("<![CDATA[", 28_000),
		"entities":                           strings.Repeat("&", 250_000),
		"references":                         strings.Repeat("[a]: b\n", 36_000) + strings.Repeat("[a]", 1000),
		"one reference, used often":          "[a]: " + strings.Repeat("b", 50_000) + "\n\n" + strings.Repeat("[a]", 60_000),
		"addresses":                          strings.Repeat("http://a.b", 25_000),
		"mail addresses":                     strings.Repeat("a@", 120_000),
		"backslashes":                        strings.Repeat("\\", 250_000),
		"headings":                           strings.Repeat("#\n", 120_000),
		"lines below a text":                 strings.Repeat("a\n=\n", 60_000),
		"tabs":                               strings.Repeat("\t", 250_000) + "a",
		"zero bytes":                         strings.Repeat("\x00", 250_000),
		"not UTF-8":                          strings.Repeat("\xff", 250_000),
		"more than is rendered":              strings.Repeat("a ", 1<<20),
	}
}

func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i%350) + "- a\n")
	}
	return b.String()
}

func backticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("a" + strings.Repeat("`", i))
	}
	return b.String()
}

// A hostile text is rendered, or refused with the reason, within the time of a worker. The
// size of the page is bounded.
func TestHostileTexts(t *testing.T) {
	r := renderer(t)
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			sample.Case(t)
			began := time.Now()
			html, err := r.Render(t.Context(), text)
			took := time.Since(began)
			if _, refused := errors.AsType[*markdown.TooLargeError](err); err != nil && !refused {
				t.Error(err)
			}
			if took > 20*time.Second || len(html) > 4<<20 {
				t.Errorf("%d bytes in %v", len(html), took)
			}
			t.Logf("%d bytes in %v, %v", len(html), took.Round(time.Millisecond), err)
		})
	}
}

// A worker ends when its client has disconnected.
func TestClientLeaves(t *testing.T) {
	r := renderer(t)
	ctx, leave := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, leave)
	began := time.Now()
	for range 2 { // the second finds no worker busy
		if _, err := r.Render(ctx, strings.Repeat("[a](", 60_000)); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want %v", err, context.Canceled)
		}
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it went on for %v", took)
	}
}

// Without a worker, the text is not rendered.
func TestNoWorker(t *testing.T) {
	_, err := markdown.New([]string{t.TempDir() + "/gone"}).Render(t.Context(), "a")
	if _, refused := errors.AsType[*markdown.TooLargeError](err); !refused {
		t.Errorf("%v, want a TooLargeError", err)
	}
}
