package values_test

import (
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestSplit: debug information in files of its own says the same as in the program.
func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, compiler, packer string
		flags                  []string
	}{
		{"DWARF 5, type units", "gcc", "", []string{"-gdwarf-5", "-fdebug-types-section"}},
		{"clang, DWARF 5 in a package", "clang", "llvm-dwp", []string{"-gdwarf-5"}},
		{"DWARF 4", "gcc", "", []string{"-gdwarf-4"}},
		{"DWARF 4 in a package", "gcc", "dwp", []string{"-gdwarf-4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sample.Case(t)
			s := symbolstest.StopSplit(t, tt.compiler, "values.c", tt.packer, false, tt.flags...)
			frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 2)
			if err != nil || len(frames) < 2 {
				t.Fatalf("%d frames, %v", len(frames), err)
			}
			got := map[string]values.Value{}
			for _, o := range frames[1].Variables() {
				if _, ok := got[o.Name]; !ok {
					got[o.Name] = o.Value(values.DefaultLimits)
				}
			}
			want := valuesC
			if tt.compiler == "clang" { // which describes two of them in another way
				want = slices.DeleteFunc(slices.Clone(want), func(v variableWant) bool { return v.name == "z" || v.name == "vla" })
			}
			compareValues(t, got, want)
		})
	}
}
