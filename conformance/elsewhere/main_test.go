package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that only Windows has, and a test of it, are checked for Windows alone.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                "module example.com/m\n\ngo 1.26\n",
		"main.go":               "package main\n\nfunc main() { hello() }\n",
		"hello_linux.go":        "package main\n\nfunc hello() {}\n",
		"hello_windows.go":      "package main\n\nimport \"syscall\"\n\nfunc hello() { syscall.Kill(1, 1) }\n",
		"hello_windows_test.go": "package main\n\nvar _ int = \"text\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, faults, err := check(dir, "linux/arm64"); n != 1 || len(faults) > 0 || err != nil {
		t.Errorf("linux: %d packages, %v, %v", n, faults, err)
	}
	_, faults, err := check(dir, "windows/amd64")
	if all := strings.Join(faults, "\n"); err != nil || !strings.Contains(all, "syscall.Kill") || !strings.Contains(all, "hello_windows_test.go:3") {
		t.Errorf("windows: %v, %v", faults, err)
	}
	if _, faults, err = check(dir, "darwin/arm64"); err != nil || len(faults) != 1 || !strings.Contains(faults[0], "hello") {
		t.Errorf("darwin: %v, %v", faults, err)
	}
}
