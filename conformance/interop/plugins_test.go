package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
)

// The programs of npm that read plugins and skills find what a plugin has, and install its skills
// byte for byte, from its folder and from a server.
func TestPluginsAndSkills(t *testing.T) {
	sdk.InstallNode(t, "plugins")
	server, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	data, plugin := t.TempDir(), t.TempDir()
	runIn(t, data, server, "call", "create_ruleset", "name=go_style", "description=How we write Go", "markdown=# Go\n\nSay *why*.\n", "--data", data)
	runIn(t, data, server, "call", "create_ruleset", "name=pdf", "description=Fill in forms: PDF", "markdown=# PDF\n", "extra=skill: true\n", "--data", data)
	runIn(t, data, server, "rulesets", "label", "pdf", "production", "--data", data)
	runIn(t, data, server, "plugin", "build", plugin, "--claude", "--data", data)

	if got := runIn(t, t.TempDir(), "node", npm(t, "plugins"), "discover", plugin); !regexp.MustCompile(`\b2 skills`).MatchString(got) {
		t.Errorf("plugins finds %s", got)
	}
	home := t.TempDir()
	runIn(t, home, "node", npm(t, "skills"), "add", plugin, "--copy", "-y", "--skill", "*", "--agent", "claude-code")
	for _, name := range []string{"go-style", "pdf"} {
		sameFile(t, filepath.Join(plugin, "skills", name, "SKILL.md"), filepath.Join(home, ".claude", "skills", name, "SKILL.md"))
	}
}

// npm returns a program that npm has installed.
func npm(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("plugins", "node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runIn runs a program in a folder that is also its home, and returns its output.
func runIn(t *testing.T, home, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "DISABLE_TELEMETRY=1", "DO_NOT_TRACK=1", "CI=1"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// sameFile reports a copy that differs from its file.
func sameFile(t *testing.T, file, copied string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(copied); err != nil || string(got) != string(want) {
		t.Errorf("%s is %q, %v, want %q", copied, got, err, want)
	}
}
