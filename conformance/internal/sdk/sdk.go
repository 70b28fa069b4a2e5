// Package sdk installs and builds the official client SDKs for tests. Several test
// processes may do so at one time.
package sdk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/need"
)

// InstallNode installs what package-lock.json of a folder names, unless that was done.
// Without Node or a registry the test is skipped. The stamp is written last, so an
// incomplete installation is repeated.
func InstallNode(t testing.TB, folder string) {
	t.Helper()
	need.Program(t, "node")
	need.Program(t, "npm")
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer exclusive(t, folder)()
	sum := sha256.Sum256(lock)
	want, stamp := []byte(hex.EncodeToString(sum[:])), filepath.Join(folder, "node_modules", ".installed")
	if got, err := os.ReadFile(stamp); err == nil && bytes.Equal(got, want) {
		return
	}
	if out, err := command(t, folder, "npm", "ci", "--ignore-scripts"); err != nil {
		need.Installed(t, "what "+folder+" names", err, out)
	}
	if err := os.WriteFile(stamp, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// exclusive waits until no other process installs in the folder. The returned function
// lets the next one. The file that processes lock stays, among those that tests keep in the
// user's cache: it cannot be removed while another process may be about to lock it. Processes
// with another cache are not waited for.
func exclusive(t testing.TB, folder string) (release func()) {
	t.Helper()
	path, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := binary.Folder(path)
	if err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(dir, "install"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	return func() { _ = lock.Unlock() } // the end of the process does it, too
}

// BuildGo builds a client of the Go SDK, a folder of another module whose dependencies
// may have to be fetched first, and returns the path of the program.
func BuildGo(t testing.TB, folder string) string {
	t.Helper()
	if out, err := command(t, folder, "go", "list", "-deps", "."); err != nil {
		need.Installed(t, "the Go SDK", err, out)
	}
	program := filepath.Join(t.TempDir(), "client")
	if out, err := command(t, folder, "go", "build", "-o", program, "."); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// command runs a command in a folder and returns its output.
func command(t testing.TB, folder, name string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	return cmd.CombinedOutput()
}
