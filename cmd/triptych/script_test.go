package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/triptych-mcp/triptych/aoc/sitetest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestMain lets the test binary be the program: scripts and tests start it
// again under the name triptych.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"triptych": main})
}

// quickExit keeps the race detector from waiting a second in each child.
const quickExit = "atexit_sleep_ms=0"

// TestScripts runs the command line as a person or an editor would, one topic
// a file.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	redis := miniredis.RunT(t)
	site := sitetest.New()
	t.Cleanup(site.Close)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Condition: func(name string) (bool, error) {
			switch name {
			case "ptrace":
				return mayTrace(), nil
			case "race":
				return sample.Race, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output(); err == nil {
				env.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
			}
			env.Setenv("HOME", home)
			env.Setenv("TOP", root)
			env.Setenv("REDIS_PORT", redis.Port())
			env.Setenv("TRIPTYCH_AOC_URL", site.URL)
			env.Setenv("AOC_COOKIE", sitetest.Session)
			env.Setenv("LINK", "https://adventofcode.com/2025/leaderboard/private/view/7?"+sitetest.ViewKey)
			env.Setenv("GORACE", quickExit)
			env.Setenv("TRIPTYCH_DATA", filepath.Join(env.WorkDir, "data"))
			return os.Mkdir(home, 0o755)
		},
	})
}

// mayTrace reports whether the system lets us debug a process that is no child
// of ours (Yama, kernel.yama.ptrace_scope).
func mayTrace() bool {
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	return runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && (os.Getuid() == 0 || err != nil || strings.TrimSpace(string(scope)) == "0")
}

// program is the program as a child process, in a world of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{"triptych"}, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "TRIPTYCH_DATA=" + filepath.Join(t.TempDir(), "data"), "GORACE=" + quickExit}
	return cmd
}
