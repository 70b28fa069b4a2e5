package main

import (
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The picture of a hunt shows a terminal, whose measures these are.
const (
	huntLine   = 19 // the height of a line
	huntMargin = 20
	huntWidth  = 820
	huntThink  = 1800 * time.Millisecond // between an answer and the next call
	huntShow   = 60 * time.Millisecond   // between the lines of an answer
)

// huntPicture draws the calls and answers of the example of docs/time-travel.md, one after
// the other. TestScripts/time_travel makes the same calls and compares the answers, so the
// picture is of a session that can be had.
func huntPicture(t *testing.T) string {
	t.Helper()
	lines := huntLines(t)
	height := huntLine*len(lines) + 2*huntMargin
	var d document
	d.line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title about">`, huntWidth, height, huntWidth, height)
	d.line(`<title id="title">From a crash back to the write that caused it</title>`)
	d.line(`<desc id="about">The calls and answers of the example in time-travel.md. Made from it by make generate.</desc>`)
	d.line(`<style>`)
	d.line(`rect { fill: #12171c; stroke: #3a4650 }`)
	d.line(`text { font: 14px ui-monospace, "DejaVu Sans Mono", Consolas, monospace; fill: #e6ebf0; white-space: pre; animation: show 1ms both }`)
	d.line(`.call { fill: #8cc5f2; font-weight: bold }`)
	d.line(`@keyframes show { from { opacity: 0 } to { opacity: 1 } }`)
	d.line(`@media (prefers-reduced-motion: reduce) { text { animation: none } }`)
	d.line(`</style>`)
	d.line(`<rect x="0.5" y="0.5" width="%d" height="%d" rx="8"/>`, huntWidth-1, height-1)
	var at time.Duration
	for i, line := range lines {
		class := ""
		if call := !strings.HasPrefix(line, " "); call {
			class = ` class="call"`
			if i > 0 {
				at += huntThink
			}
			line = "> " + line
		} else {
			at += huntShow
		}
		d.line(`<text x="%d" y="%d"%s style="animation-delay:%dms">%s</text>`,
			huntMargin, huntMargin+14+huntLine*i, class, at.Milliseconds(), html.EscapeString(line))
	}
	d.line(`</svg>`)
	return d.String()
}

// huntLines returns the calls of the example and the lines of their answers, which begin
// with spaces.
func huntLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "docs", "time-travel.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "\n## Example: a stray write\n")
	example, _, _ = strings.Cut(example, "\n## ")
	var lines []string
	for i, block := range strings.Split(example, "\n```") {
		if inside := i%2 == 1; inside && strings.HasPrefix(block, "\ndebugger/") {
			lines = append(lines, strings.Split(strings.TrimPrefix(block, "\n"), "\n")...)
		}
	}
	widest := (huntWidth - 2*huntMargin) / 9 // a character is at most 9 pixels wide
	for _, line := range lines {
		if n := len([]rune(line)) + 2; n > widest {
			t.Fatalf("the picture is %d characters wide, and this line has %d: %s", widest, n, line)
		}
	}
	if len(lines) < 10 {
		t.Fatalf("the example has %d lines", len(lines))
	}
	return lines
}
