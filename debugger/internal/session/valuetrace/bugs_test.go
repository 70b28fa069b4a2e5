package valuetrace_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/session/valuetrace"
)

// maxTokens is the documented limit of an answer, at four bytes a token.
const maxTokens = 1500

// The line that makes each of ten results wrong is in the answer, which is short.
func TestBugs(t *testing.T) {
	for _, flag := range []string{"-O0", "-O1", "-O2"} {
		t.Run(flag, func(t *testing.T) {
			source, program := recordtest.Build(t, "bugs.c", flag)
			s := recordtest.Main(t, program)
			here := s.Target.History.View().Position()
			for n := 1; n <= 10; n++ {
				r, err := valuetrace.Trace(t.Context(), s, fmt.Sprintf("bad[%d]", n), 8)
				if err != nil {
					t.Errorf("bug %d: %v", n, err)
					continue
				}
				text, line := r.Text(), rootLine(t, source, n)
				if !regexp.MustCompile(fmt.Sprintf(`:%d\b`, line)).MatchString(text) {
					t.Errorf("bug %d: line %d is not in\n%s", n, line, text)
				}
				if len(text) > 4*maxTokens {
					t.Errorf("bug %d: the answer has %d bytes", n, len(text))
				}
			}
			if now := s.Target.History.View().Position(); now != here {
				t.Errorf("the position is %d, it was %d", now, here)
			}
		})
	}
}

// rootLine returns the line with the mark of a bug.
func rootLine(t *testing.T, source string, n int) int {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, fmt.Sprintf("// root %d", n)) {
			return i + 1
		}
	}
	t.Fatalf("no line is marked as root %d", n)
	return 0
}
