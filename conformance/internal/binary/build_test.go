package binary_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
)

// The file is the program, and stays the same file when it is built again.
func TestBuild(t *testing.T) {
	path, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	held, err := os.Open(path) // while it is open, no other file has its number
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	before, err := held.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("TRIPTYCH_TEST_BUILD_AGAIN") != "" {
		return
	}
	out, err := exec.CommandContext(t.Context(), path, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "triptych ") {
		t.Errorf("version writes %q, %v", out, err)
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestBuild$")
	other.Env = append(os.Environ(), "TRIPTYCH_TEST_BUILD_AGAIN=1")
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("another process: %v\n%s", err, out)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("another process has built it again: %v", err)
	}
}
