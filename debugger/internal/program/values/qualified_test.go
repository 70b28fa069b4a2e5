package values_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
)

// TestQualifiedTypes: types are spelled as gdb spells them, but for spaces.
func TestQualifiedTypes(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang"} {
		t.Run(compiler, func(t *testing.T) {
			s := symbolstest.Stop(t, symbolstest.CompileWith(t, compiler, "qualified.c", "-O0"), "marker", 0)
			frames, err := callstack.Unwind(s.Program(t), s.Core.Regs, s.Core, 2)
			if err != nil || len(frames) < 2 || len(s.Oracle.Variables[1]) != 9 {
				t.Fatalf("%d frames, %v", len(frames), err)
			}
			for _, want := range s.Oracle.Variables[1] {
				o, err := frames[1].Variable(t.Context(), want.Name)
				if err != nil {
					t.Error(err)
					continue
				}
				bare := strings.NewReplacer(" ", "")
				if got := o.Type.String(); bare.Replace(got) != bare.Replace(want.Type) {
					t.Errorf("%s is a %s, gdb says %s", want.Name, got, want.Type)
				}
			}
		})
	}
}
