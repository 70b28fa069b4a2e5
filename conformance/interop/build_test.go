package interop_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// needs skips the test without a program.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: %v", program, err)
		}
	}
}

// buildServer makes the program under test.
func buildServer(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "triptych")
	if out, err := command(t, "../..", "go", "build", "-o", program, "./cmd/triptych"); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// buildGoClient makes the client of the Go SDK, whose module may have to be
// fetched first.
func buildGoClient(t *testing.T) string {
	t.Helper()
	if out, err := command(t, "gosdk", "go", "mod", "download"); err != nil {
		unavailable(t, "the Go SDK", err, out)
	}
	program := filepath.Join(t.TempDir(), "gosdk")
	if out, err := command(t, "gosdk", "go", "build", "-o", program, "."); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// installNode installs what package-lock.json names, unless that was done.
// The stamp is written last, so an incomplete installation is repeated.
func installNode(t *testing.T) {
	t.Helper()
	needs(t, "node", "npm")
	lock, err := os.ReadFile("node/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	want, stamp := []byte(hex.EncodeToString(sum[:])), "node/node_modules/.installed"
	if got, err := os.ReadFile(stamp); err == nil && bytes.Equal(got, want) {
		return
	}
	if out, err := command(t, "node", "npm", "ci", "--ignore-scripts"); err != nil {
		unavailable(t, "the TypeScript SDKs", err, out)
	}
	if err := os.WriteFile(stamp, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// unavailable skips the test when packages cannot be had, but not where CI is
// set: there a test that does not run must not go unnoticed.
func unavailable(t *testing.T, what string, err error, out []byte) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s cannot be installed: %v\n%s", what, err, out)
	}
	t.Skipf("%s cannot be installed: %v\n%s", what, err, out)
}

func command(t *testing.T, folder, name string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	return cmd.CombinedOutput()
}
