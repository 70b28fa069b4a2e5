package editors

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// A tree of rule files with the mistakes that people report, and the answers that the
// clients' documents and sources give.
func TestExplain(t *testing.T) {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"AGENTS.md":                              "# Root\n",
		"AGENTS.override.md":                     "# Mine\n",
		"CLAUDE.md":                              "@AGENTS.md\n",
		"GEMINI.md":                              "# Root\n",
		"src/AGENTS.md":                          "# Src\n",
		"docs/AGENTS.md":                         "# Docs\n",
		"node_modules/x/AGENTS.md":               "# No\n",
		".cursor/rules/ts.mdc":                   "---\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\n",
		".cursor/rules/go.mdc":                   "---\nglobs: **/*.go\n---\n",
		".cursor/rules/plain.md":                 "---\nalwaysApply: true\n---\n",
		".cursor/rules/asked.mdc":                "---\ndescription: When asked\n---\n",
		".cursor/rules/wrong.mdc":                "---\npaths: ['**/*.ts']\n---\n",
		"docs/.cursor/rules/d.mdc":               "---\nalwaysApply: true\n---\n",
		".claude/rules/ts.md":                    "---\npaths: ['src/**/*.ts']\n---\n",
		".claude/rules/wrong.md":                 "---\nglobs: '**/*.go'\n---\n",
		".claude/rules/sub/core.md":              "Core\n",
		".claude/rules/open.md":                  "---\npaths: [a]\n",
		".clinerules/x.md":                       "---\npaths:\n  - docs/**\n---\n",
		".github/instructions/a.md":              "x\n",
		".github/instructions/b.instructions.md": "---\napplyTo: '*.ts'\n---\n",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	files, err := Scan(tree)
	if err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string]string{
		"codex": `+ AGENTS.override.md: in the root
- AGENTS.md: shadowed by AGENTS.override.md
- docs/AGENTS.md: below the working directory, the root
- src/AGENTS.md: below the working directory, the root
`,
		"cursor": `+ AGENTS.md: in the root
+ src/AGENTS.md: in src
+ .cursor/rules/ts.mdc: *.ts matches
- docs/AGENTS.md: src/x.ts is not in docs
- .cursor/rules/asked.mdc: the model may choose it by its description
- .cursor/rules/go.mdc: no glob matches: **/*.go
- .cursor/rules/plain.md: only files that end in .mdc are read here
- .cursor/rules/wrong.mdc: a person has to name it; paths does nothing here: the key is globs
- docs/.cursor/rules/d.mdc: src/x.ts is not in docs
`,
		"claude": `+ CLAUDE.md: in the root
+ AGENTS.md: imported by CLAUDE.md
+ .claude/rules/open.md: always; its front matter has no end and counts as text
+ .claude/rules/sub/core.md: always
+ .claude/rules/ts.md: src/**/*.ts matches
+ .claude/rules/wrong.md: always; globs does nothing here: the key is paths
- docs/AGENTS.md: not read in a project with CLAUDE.md
- src/AGENTS.md: not read in a project with CLAUDE.md
`,
		"copilot": `+ AGENTS.md: in the root
+ CLAUDE.md: in the root
+ src/AGENTS.md: in src
+ .github/instructions/b.instructions.md: *.ts matches
- GEMINI.md: the same content as AGENTS.md
- docs/AGENTS.md: src/x.ts is not in docs
- .github/instructions/a.md: only files that end in .instructions.md are read here
`,
		"vscode": `+ AGENTS.md: in the root
+ CLAUDE.md: in the root
+ .github/instructions/b.instructions.md: *.ts matches
+ .claude/rules/open.md: always; its front matter has no end and counts as text
+ .claude/rules/sub/core.md: always
+ .claude/rules/ts.md: src/**/*.ts matches
+ .claude/rules/wrong.md: always; globs does nothing here: the key is paths
- docs/AGENTS.md: only files in the root are read
- src/AGENTS.md: only files in the root are read
- .github/instructions/a.md: only files that end in .instructions.md are read here
`,
		"cline": `+ AGENTS.md: in the root
- docs/AGENTS.md: only files in the root are read
- src/AGENTS.md: only files in the root are read
- .clinerules/x.md: no glob matches: docs/**
`,
		"zed": `+ AGENTS.md: in the root
- CLAUDE.md: shadowed by AGENTS.md
- GEMINI.md: shadowed by AGENTS.md
- docs/AGENTS.md: only files in the root are read
- src/AGENTS.md: only files in the root are read
`,
		"gemini": "+ GEMINI.md: in the root\n",
	} {
		if diff := cmp.Diff(want, verdictText(Find(client).Explain(files, "src/x.ts", "."))); diff != "" {
			t.Errorf("%s, -want +got:\n%s", client, diff)
		}
	}
	got := verdictText(Find("codex").Explain(files, "src/x.ts", "src"))
	if want := "+ AGENTS.override.md: in the root\n+ src/AGENTS.md: in src\n"; !strings.HasPrefix(got, want) {
		t.Errorf("codex in src:\n%s", got)
	}
}

func verdictText(all []Verdict) string {
	var b strings.Builder
	for _, v := range all {
		sign := "-"
		if v.Loaded {
			sign = "+"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", sign, v.Path, v.Reason)
	}
	return b.String()
}

// Codex reads 32,768 bytes of the whole chain.
func TestExplainBudget(t *testing.T) {
	block := blockText([]Section{{Name: "a", Text: strings.Repeat("a", 20000)}, {Name: "b", Text: strings.Repeat("b", 20000)}, {Name: "c", Text: "c"}})
	files, err := Scan(fstest.MapFS{"AGENTS.md": {Data: []byte(block)}, "x/AGENTS.md": {Data: []byte("X\n")}})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("+ AGENTS.md: in the root; over budget: its first 32768 of %d bytes are read, without b c\n"+
		"- x/AGENTS.md: over budget: the files before it have the 32768 bytes that are read\n", len(block))
	if diff := cmp.Diff(want, verdictText(Find("codex").Explain(files, "x/y", "x"))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
