package callstack_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
)

// TestTailCalls: functions that jumped to the next one have frames where the debug
// information tells which they were, and the gap is marked where it does not. What
// calls what is in testdata/programs/tailcalls.c.
func TestTailCalls(t *testing.T) {
	symbolstest.Need(t, "clang")
	clang := symbolstest.CompileWith(t, "clang", "tailcalls.c", "-O2")
	gcc := symbolstest.Compile(t, "tailcalls.c", "-O2")
	for _, tt := range []struct {
		name, exe string
		hit       int
		want      string // ~ stands before the frame behind a gap
	}{
		{"one way", gcc, 0, "marker leaf middle top main"},
		{"two ways", gcc, 1, "marker join ~main"},
		{"through a pointer", gcc, 2, "marker ~main"},
		{"one way, clang", clang, 0, "marker leaf middle top main"},
		{"two ways, clang", clang, 1, "marker join ~main"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := symbolstest.Stop(t, tt.exe, "marker", tt.hit)
			frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			gap := ""
			for i := range frames {
				got = append(got, gap+frames[i].Function)
				if gap = ""; frames[i].Gap {
					gap = "~"
				}
			}
			end := slices.IndexFunc(got, func(f string) bool { return strings.HasSuffix(f, "main") })
			if text := strings.Join(got[:end+1], " "); text != tt.want {
				t.Errorf("%s, want %s", text, tt.want)
			}
		})
	}
}
