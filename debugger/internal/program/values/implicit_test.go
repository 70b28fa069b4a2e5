package values_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// TestImplicitPointers: members that point to what has no address have the values
// that testdata/programs/implicit.cc gives them. gdb shows a synthetic pointer.
func TestImplicitPointers(t *testing.T) {
	s := symbolstest.Stop(t, symbolstest.Compile(t, "implicit.cc", "-O2"), "marker", 0)
	frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 3)
	if err != nil || len(frames) < 3 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	for name, want := range map[string]string{
		"sv":    `"view"`,
		"local": "42",
		"span":  "{first = <synthetic pointer> → 42, count = 1}",
		"total": "<optimized out>",
	} {
		o, err := frames[2].Variable(t.Context(), name)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := o.Value(values.DefaultLimits).Text; got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
}
