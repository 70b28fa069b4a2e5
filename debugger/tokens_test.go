//go:build !race

// The tables of the tokenizer take half a minute to compile with the race detector.

package debugger_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// maxAnswerTokens is the most that a typical answer may take of a model's context.
const maxAnswerTokens = 400

var address = regexp.MustCompile(`0x[0-9a-f]{12}`)

// The answers that a model reads again and again are short: whole results, with text
// and structured content, in tokens of the encoding that GPT-4o and later models share.
// The paths of the checkout and of the cache stand for those of a project, and one
// address for all: how many tokens it takes differs from run to run.
func TestTypicalAnswersAreShort(t *testing.T) {
	for _, tt := range []struct{ source, run string }{
		{"shapes.c", "run"},
		{"busy.go", "run"},
	} {
		t.Run(tt.source, func(t *testing.T) {
			c, p := attach(t, tt.source)
			short := func(tool string) {
				t.Helper()
				a := c.Call("debugger/"+tool, nil)
				if a.Err != nil || a.IsError {
					t.Fatalf("%s: %s", tool, a)
				}
				text := strings.NewReplacer(debuggertest.Source(tt.source), "/home/me/project/"+tt.source, p.Path, "/home/me/project/program").Replace(string(a.Raw))
				text = address.ReplaceAllString(text, "0x5639cf2ec1f5")
				if n := tokens(t, text); n > maxAnswerTokens {
					t.Errorf("%s: %d tokens, want %d at most:\n%s", tool, n, maxAnswerTokens, text)
				} else {
					t.Logf("%s: %d tokens", tool, n)
				}
			}
			c.ok("set_breakpoint", args{"file": tt.source, "line": debuggertest.Line(t, tt.source, "visit")})
			p.Tell(tt.run)
			for _, tool := range []string{
				"continue", "get_stack_trace", "step_forward", "step_line", "step_over", "get_stack_trace", "step_backward", "continue",
			} {
				short(tool)
			}
		})
	}
}

func tokens(t testing.TB, text string) int {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
