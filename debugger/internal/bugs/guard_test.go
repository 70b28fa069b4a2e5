package bugs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// A patch that adds a release or a check finds calls of the function before it that lack
// it, though they share no other name with the place, and calls of functions whose names
// have the same words.
func TestSearchByGuard(t *testing.T) {
	var filler strings.Builder
	for i := range 300 {
		fmt.Fprintf(&filler, "int filler%d(int n)\n{\n\treturn other%d(n) + another%d(n);\n}\n", i, i, i)
	}
	folder := write(t, map[string]string{
		"src/load.c":   "int load(struct box *b)\n{\n\tstruct key *k = keyringOpen(b->name);\n\tint n = boxCount(b);\n\tif (n > 4)\n\t\treturn -1;\n\treturn n;\n}\n",
		"lib/lacks.c":  "void greet(const char *who)\n{\n\tprintf(\"hello\");\n\tvoid *ring = keyringOpen(who);\n\tdance(ring, 7);\n\tputs(who);\n}\n",
		"lib/has.c":    "void part(const char *who)\n{\n\tprintf(\"bye\");\n\tvoid *ring = keyringOpen(who);\n\tif (!ring)\n\t\texit(7);\n\tdance(ring, 7);\n\tkeyringClose(ring);\n}\n",
		"lib/kin.c":    "void sing(const char *who)\n{\n\tfloat tone = 1.5;\n\tvoid *loop = keyringOpenAt(who, tone);\n\tdance(loop, 8);\n\tputs(who);\n}\n",
		"lib/other.c":  "void walk(const char *who)\n{\n\tputs(who);\n\tvoid *steps = stepsOf(who);\n\tdance(steps, 9);\n}\n",
		"lib/filler.c": filler.String(),
	})
	const close = "it calls keyringOpen; it lacks what the patch adds: keyringClose"
	for name, tt := range map[string]struct{ patch, reason string }{
		"a release": {"@@ -3,4 +3,6 @@\n \tstruct key *k = keyringOpen(b->name);\n \tint n = boxCount(b);\n-\tif (n > 4)\n+\tif (n > 4) {\n+\t\tkeyringClose(k);\n \t\treturn -1;\n+\t}\n", close},
		"a check":   {"@@ -3,2 +3,4 @@\n \tstruct key *k = keyringOpen(b->name);\n+\tif (!k || !b)\n+\t\treturn -1;\n \tint n = boxCount(b);\n", "it calls keyringOpen"},
	} {
		hunks, err := bugs.ParsePatch("--- a/src/load.c\n+++ b/src/load.c\n" + tt.patch)
		if err != nil {
			t.Fatal(err)
		}
		r := find(t, finder(t, bugs.Config{}), bugs.Request{Path: folder, Patch: hunks})
		got := places(r)
		if !slices.Contains(got, "lib/lacks.c:4") || !slices.Contains(got, "lib/kin.c:4") || strings.Contains(strings.Join(got, " "), "lib/other.c") {
			t.Errorf("%s: found %v, want the calls that lack it", name, got)
		}
		for _, f := range r.Findings {
			if calls := strings.HasPrefix(f.Reason, "it calls keyringOpen"); calls == (f.File == "lib/has.c") {
				t.Errorf("%s: %s is found as %q", name, f.File, f.Reason)
			}
			if f.File == "lib/lacks.c" && !strings.HasPrefix(f.Reason, tt.reason) {
				t.Errorf("%s: the reason is %q, want %q", name, f.Reason, tt.reason)
			}
		}
	}
}
