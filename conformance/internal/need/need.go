// Package need skips tests for which something is missing on this machine. With CI set
// they fail instead: there a test that does not run must not go unnoticed.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program, and skips the test without it.
func Program(t testing.TB, name string) (path string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, "%s is not installed", name)
	}
	return path
}

// Installed skips the test if installing something failed with err, after it printed out.
func Installed(t testing.TB, what string, err error, out []byte) {
	t.Helper()
	if err != nil {
		missing(t, "%s cannot be installed: %v\n%s", what, err, out)
	}
}

func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
