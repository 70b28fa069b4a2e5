//go:build unix

package editors_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
)

// Claude Code's own validator passes a plugin with rules, a skill, a server and its manifest.
func TestPluginIsValid(t *testing.T) {
	claude := clients[0].install(t)
	triptych, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	plugin, home := t.TempDir(), t.TempDir()
	write(t, filepath.Join(plugin, ".triptych.yaml"), "targets: [plugin]\nplugin:\n  name: house-rules\n  description: How we write code\n  author: The platform team\n  claude: true\n")
	for _, command := range [][]string{
		{triptych, "call", "create_ruleset", "name=go_style", "description=How we write Go", "markdown=# Go\n"},
		{triptych, "call", "create_ruleset", "name=pdf", "description=Fill in forms: PDF", "markdown=# PDF\n", "extra=skill: true\n"},
		{triptych, "plugin", "build", plugin},
		{claude, "plugin", "validate", plugin, "--strict"},
	} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = plugin
		cmd.Env = append(isolated(home), "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v: %s", filepath.Base(command[0]), command[1:], err, out)
		}
	}
}
