package editors

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Package conformance/editors asks clients which links they follow.
func TestExplainLinks(t *testing.T) {
	project := fstest.MapFS{"src/x.go": {Data: []byte("package x\n")}}
	for name, text := range map[string]string{"AGENTS.md": "A\n", "docs/rules/in.md": "I\n", "docs/f.md": "F\n"} {
		project[name] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, to := range map[string]string{
		"CLAUDE.md": "AGENTS.md", ".claude/rules/indir": "../../docs/rules", ".claude/rules/file.md": "../../docs/f.md",
		".claude/rules/dead.md": "nowhere", ".github/instructions/f.instructions.md": "../../docs/f.md",
	} {
		project[name] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink}
	}
	files, err := Scan(project)
	if err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string]string{
		"claude": `+ CLAUDE.md: in the root; a link to AGENTS.md
+ .claude/rules/file.md: always; a link to docs/f.md
+ .claude/rules/indir/in.md: always; a link to docs/rules/in.md
- AGENTS.md: not read in a project with CLAUDE.md
`,
		"vscode": `+ AGENTS.md: in the root
+ CLAUDE.md: in the root; a link to AGENTS.md
+ .claude/rules/file.md: always; a link to docs/f.md
- .github/instructions/f.instructions.md: a person has to name it; a link to docs/f.md
- .claude/rules/indir/in.md: .claude/rules/indir is a link to a folder; whether it is followed is not known
`,
		"copilot": `+ AGENTS.md: in the root
- CLAUDE.md: the same content as AGENTS.md
- .github/instructions/f.instructions.md: a person has to name it; a link to docs/f.md
`,
	} {
		got := ""
		for _, v := range Find(client).Explain(files, "src/x.go", ".") {
			got += fmt.Sprintf("%s %s: %s\n", map[bool]string{true: "+", false: "-"}[v.Loaded], v.Path, v.Reason)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, -want +got:\n%s", client, diff)
		}
	}
}

func TestNoRules(t *testing.T) {
	project := fstest.MapFS{}
	for _, name := range []string{".claude/agents/a.md", ".claude/commands/b.md", ".claude/skills/s/SKILL.md", ".claude/skills/s/more.md", ".opencode/modes/m.md", ".roo/rules-x/r.md", "README.md"} {
		project[name] = &fstest.MapFile{Data: []byte("Text\n")}
	}
	files, err := Scan(project)
	if err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string]int{"claude": 3, "opencode": 2, "gemini": 0, "cursor": 1} {
		if got := Find(client).NoRules(files); len(got) != want {
			t.Errorf("%s: %v, want %d", client, got, want)
		}
	}
	isThere := func(name string) bool { return name == ".claude/CLAUDE.md" }
	if got := Find("claude").OfUser(isThere); len(got) != 1 || got[0].Path != "~/.claude/CLAUDE.md" || !got[0].Loaded {
		t.Errorf("%v", got)
	}
}
