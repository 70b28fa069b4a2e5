//go:build unix

package editors_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// Codex prints what it would show a model. It loads the files that Explain says, and
// cuts them where its budget says.
func TestCodexAgrees(t *testing.T) {
	long(t)
	codex := installed(t, "codex", ".bin/codex")
	for name, tree := range map[string]map[string]int{ // the sizes of files
		"root and nested": {"AGENTS.md": 100, "src/AGENTS.md": 100, "src/deep/AGENTS.md": 100, "docs/AGENTS.md": 100},
		"override":        {"AGENTS.md": 100, "AGENTS.override.md": 100, "src/AGENTS.md": 100, "CLAUDE.md": 100},
		"over budget":     {"AGENTS.md": 20000, "src/AGENTS.md": 20000},
		"nothing left":    {"AGENTS.md": 40000, "src/AGENTS.md": 100},
	} {
		t.Run(name, func(t *testing.T) {
			texts := map[string]string{target: "package x\n"}
			for file, size := range tree {
				texts[file] = fmt.Sprintf("begin:%s:%s:end:%s:\n", file, strings.Repeat("x", size), file)
			}
			dir := project(t, texts)
			shown := promptOf(t, codex, filepath.Join(dir, "src"))
			files, err := editors.Scan(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range editors.Find("codex").Explain(files, "src/x.go", "src") {
				begun, ended := strings.Contains(shown, "begin:"+v.Path+":"), strings.Contains(shown, "end:"+v.Path+":")
				cut := strings.Contains(v.Reason, "over budget")
				if begun != v.Loaded || ended != (v.Loaded && !cut) {
					t.Errorf("%s: codex shows its begin: %v, its end: %v; explained as %+v", v.Path, begun, ended, v)
				}
			}
		})
	}
}

// promptOf returns what Codex shows a model that starts in a folder.
func promptOf(t *testing.T, codex, dir string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), codex, "debug", "prompt-input", "hello")
	cmd.Dir = dir
	cmd.Env = append(isolated(t.TempDir()), "CODEX_HOME="+t.TempDir())
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &complaint)
	}
	return string(out)
}
