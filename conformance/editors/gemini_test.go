//go:build unix

package editors_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// geminiLoads prints the files that Gemini CLI's own functions load for a file, when it
// was started in a folder.
const geminiLoads = `
import { getEnvironmentMemoryPaths, loadJitSubdirectoryMemory } from "./node_modules/@google/gemini-cli-core/dist/src/utils/memoryDiscovery.js";
for (const level of ["log", "debug", "info", "warn"]) console[level] = () => {};
const [root, file] = process.argv.slice(1);
const paths = await getEnvironmentMemoryPaths([root]);
const more = await loadJitSubdirectoryMemory(file, [root], new Set(paths));
process.stdout.write(JSON.stringify([...paths, ...more.files.map((f) => f.path)]), () => process.exit(0));
`

// Gemini CLI loads the files that Explain says, when its own functions are asked.
func TestGeminiAgrees(t *testing.T) {
	long(t)
	modules := filepath.Join(installed(t, "gemini", "@google/gemini-cli-core"), "..", "..", "..")
	for name, tree := range map[string][]string{
		"root and nested":   {"GEMINI.md", "src/GEMINI.md", "src/deep/GEMINI.md", "docs/GEMINI.md"},
		"only AGENTS.md":    {"AGENTS.md", "src/AGENTS.md", "CLAUDE.md"},
		"only below":        {"src/deep/GEMINI.md", "src/deep/er/GEMINI.md", "AGENTS.md"},
		"in its own folder": {".gemini/GEMINI.md", "src/.gemini/GEMINI.md", "GEMINI.md"},
	} {
		t.Run(name, func(t *testing.T) {
			texts := map[string]string{target: "package x\n"}
			for _, file := range tree {
				texts[file] = "Text of " + file + "\n"
			}
			dir := project(t, texts)
			files, err := editors.Scan(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for _, v := range editors.Find("gemini").Explain(files, target, ".") {
				if v.Loaded {
					want[v.Path] = true
				}
			}
			cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-e", geminiLoads, dir, filepath.Join(dir, target))
			cmd.Dir, cmd.Env, cmd.Stderr = modules, isolated(t.TempDir()), os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var loaded []string
			if err := json.Unmarshal(out, &loaded); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for i, file := range loaded {
				rel, err := filepath.Rel(dir, file)
				if err != nil {
					t.Fatal(err)
				}
				loaded[i] = filepath.ToSlash(rel)
			}
			slices.Sort(loaded)
			if diff := cmp.Diff(loaded, slices.Sorted(maps.Keys(want)), cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
				t.Errorf("Gemini's -, explained +:\n%s", diff)
			}
		})
	}
}
