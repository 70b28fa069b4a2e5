package interop_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// buildServer makes the program under test.
func buildServer(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "triptych")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/triptych")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}
