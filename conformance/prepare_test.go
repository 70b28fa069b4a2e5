package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
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

// require skips the test if something is missing. With CI set it fails instead, so
// that a skipped test does not go unnoticed.
func require(t *testing.T, needs []string) {
	t.Helper()
	for _, need := range needs {
		switch {
		case need == "ptrace" && mayTrace():
		case need != "ptrace" && installed(need):
		case need != "ptrace" && os.Getenv("CI") != "":
			t.Fatalf("%s is not installed", need)
		default:
			t.Skipf("%s is missing", need)
		}
	}
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// mayTrace reports whether the system permits debugging processes that are not our
// children (Yama, kernel.yama.ptrace_scope).
func mayTrace() bool {
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	return runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && (os.Getuid() == 0 || err != nil || strings.TrimSpace(string(scope)) == "0")
}
