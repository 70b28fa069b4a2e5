package callstack_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestSplit compares stacks with gdb's if the debug information is in files of its own.
func TestSplit(t *testing.T) {
	for _, tt := range []struct{ name, compiler, source, packer, version string }{
		{"DWARF 5", "gcc", "optimized.c", "", "-gdwarf-5"},
		{"DWARF 4 in a package", "gcc", "tailcalls.c", "dwp", "-gdwarf-4"},
		{"clang, DWARF 4", "clang", "tailcalls.c", "", "-gdwarf-4"},
		{"clang, DWARF 5 in a package", "clang", "optimized.c", "llvm-dwp", "-gdwarf-5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sample.Case(t)
			compareStack(t, symbolstest.StopSplit(t, tt.compiler, tt.source, tt.packer, true, tt.version, "-O2"))
		})
	}
}
