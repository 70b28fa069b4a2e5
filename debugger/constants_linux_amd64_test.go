package debugger_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// Enumerators are names of numbers, also where no operand is of their type. Of those with
// the same name, the one that the code means counts.
func TestEnumerators(t *testing.T) {
	for _, flags := range []string{"gcc -O0 -gdwarf-4", "gcc -O0 -gdwarf-5", "gcc -O2 -flto", "clang -O0 -gdwarf-4", "clang -O0 -gdwarf-5"} {
		t.Run(flags, func(t *testing.T) {
			command := append(strings.Fields(flags), "-g", "-w")
			for _, units := range [][]string{{"-DHERE", "-DTHERE"}, {"-DTHERE", "-DHERE"}} { // the order of their debug information
				object := program(t, append(slices.Clone(command), units[0], "-c", "enums.c")...)
				c, want := expressions(t, "marker", append(slices.Clone(command), units[1], "-x", "none", object, "-x", "c", "enums.c")...)
				agree(t, c, want)
			}
		})
	}
}

// Constants of Go have names, with and without their package.
func TestGoConstants(t *testing.T) {
	source := filepath.Join("testdata", "expressions", "constants", "main.go")
	c, want := expressionsOf(t, debuggertest.Compile(t, source, nil, "go", "build", "-gcflags=-N -l"), "main.marker")
	agree(t, c, want)
}
