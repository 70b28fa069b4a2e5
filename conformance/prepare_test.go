package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
)

// prepare runs the conversation's prepare.sh in its data folder, if there is one. It
// skips the conversation if a program that the section needs lists is missing.
func prepare(t *testing.T, data string) {
	t.Helper()
	needs, err := os.ReadFile(filepath.Join(data, "needs"))
	if err == nil {
		require(t, strings.Fields(string(needs)))
	}
	if _, err := os.Stat(filepath.Join(data, "prepare.sh")); err != nil {
		return
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "prepare.sh")
	cmd.Dir = data
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("prepare.sh: %v\n%s", err, out)
	}
}

// require skips the test if a program is missing, or the permission to debug.
func require(t *testing.T, needs []string) {
	t.Helper()
	for _, name := range needs {
		if name != "ptrace" {
			need.Program(t, name)
		} else if !mayTrace() {
			t.Skip("debugging other processes is not permitted")
		}
	}
}

// mayTrace reports whether the system permits debugging processes that are not our
// children (Yama, kernel.yama.ptrace_scope).
func mayTrace() bool {
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	return runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && (os.Getuid() == 0 || err != nil || strings.TrimSpace(string(scope)) == "0")
}
