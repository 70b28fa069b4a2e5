package editors

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// files are rule files as people and editors write them.
var files = []struct{ path, text string }{
	{".cursor/rules/react-hooks.mdc", "---\ndescription: React: hooks\nglobs: **/*.{ts,tsx}\nalwaysApply: false\n---\n# Hooks\n"},
	{".cursor/rules/quoted.mdc", "---\n# why: see the handbook\nalwaysApply: false\nglobs: \"*.ts, *.tsx\"\nowner: 'team x'\n---\n\n\nText without an end"},
	{".cursor/rules/list.mdc", "---\nglobs:\n  - src/**/*.go\n  # not the tests\n  - '!**/*_test.go'\ndescription:\n---\nText\n"},
	{".cursor/rules/manual.mdc", "---\ndescription:\nglobs:\nalwaysApply: false\n---\n\n# Manual\n"},
	{".cursor/rules/always.mdc", "---\ndescription: Core\nglobs: **/*\nalwaysApply: true\n---\n\n# Core\n"},
	{".cursor/rules/bare.mdc", "# No front matter\n"},
	{".cursor/rules/deep/er/Some Rule.mdc", "---\ndescription: asked\n---\nText\n"},
	{".cursor/rules/crlf.mdc", "\ufeff---\r\ndescription: a\r\nalwaysApply: true\r\n---\r\n\r\n# A\r\n\r\nB\r\n"},
	{".cursor/rules/mixed.mdc", "---\r\ndescription: a\nalwaysApply: true\n---\n# A\r\nB\n"},
	{".cursor/rules/fold.mdc", "---\ndescription: >-\n  Two\n  lines\nalwaysApply: false\nx-nested: {a: [1, 2]}\n---\nT\n"},
	{".claude/rules/api.md", "---\npaths:\n  - \"src/api/**/*.ts\"\n  - 'src/{a,b}/*.ts'\n---\n\n# API\n"},
	{".claude/rules/flow.md", "---\npaths: [\"a/**\", b.go] # two\ndescription: ours\n---\nText\n"},
	{".claude/rules/comma.md", "---\npaths: src/**/*.ts, lib/**/*.ts\n---\nText\n"},
	{".claude/rules/core.md", "Always.\n"},
	{".claude/rules/fence.md", "---\n---\n\n---\nrule\n---\n"},
	{".claude/rules/wrong.md", "---\nglobs: **/*.ts\nalwaysApply: true\n---\nText\n"},
	{".github/instructions/py.instructions.md", "---\napplyTo: '**/*.py,**/*.pyi'\nexcludeAgent: \"code-review\"\nname: Python\n---\nText\n"},
	{".github/instructions/all.instructions.md", "---\napplyTo: '*'\n---\n\nText\n"},
	{".github/instructions/asked.instructions.md", "---\ndescription: 'When asked'\n---\nText\n"},
	{".github/instructions/sub/none.instructions.md", "Text\n"},
	{".devin/rules/a.md", "---\ntrigger: model_decision\ndescription: When \"this\"\n---\nText\n"},
	{".devin/rules/b.md", "---\ntrigger: glob\nglobs: **/*.js\n---\nText\n"},
	{".devin/rules/empty-glob.md", "---\ntrigger: glob\nglobs:\n---\nText\n"},
	{".devin/rules/plain.md", "Text\n"},
	{".clinerules/01-coding.md", "# Coding\n"},
	{".clinerules/paths.md", "---\npaths:\n  - \"src/**\"\n---\nText\n"},
	{".kiro/steering/product.md", "# Product\n"},
	{".kiro/steering/match.md", "---\ninclusion: fileMatch\nfileMatchPattern: \"components/**/*.tsx\"\n---\n\nText\n"},
	{".kiro/steering/several.md", "---\ninclusion: fileMatch\nfileMatchPattern: [\"**/*.ts\", \"**/*.tsx\"]\n---\n\nText\n"},
	{".kiro/steering/auto.md", "---\ninclusion: auto\nname: api-design\ndescription: REST\n---\n\nText\n"},
	{".augment/rules/a.md", "---\ntype: \"agent_requested\"\ndescription: \"Example\"\n---\n\nText\n"},
	{".agents/rules/a.md", "---\ntrigger: always_on\n---\n\nText\n"},
	{".qwen/rules/a.md", "---\ndescription: TS\npaths:\n  - '**/*.ts'\n---\n<!-- a comment -->\nText\n"},
}

// checkRoundTrip imports a file and checks that it is written with the same bytes
// again, also from the stored ruleset, and that every client's form of the rule is
// read back without a loss.
func checkRoundTrip(t *testing.T, path string, data []byte) {
	t.Helper()
	c := Of(path)
	rule, err := c.Parse(path, data, nil)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	stored, err := rule.Update(ruleset.Ruleset{})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	back, problems := FromRuleset(stored)
	if len(problems) > 0 {
		t.Errorf("%s: stored as %q: %v", path, stored.Extra, problems)
		return
	}
	rule.Layer = back.Layer
	if diff := cmp.Diff(rule, back); diff != "" {
		t.Errorf("%s: the stored rule differs, -read +stored:\n%s", path, diff)
	}
	act, _ := c.activate(back)
	if got := c.file(back, act); !bytes.Equal(got, data) || c.PathOf(back) != path {
		t.Errorf("%s: written as %s:\n%q, want\n%q", path, c.PathOf(back), got, data)
	}
	for i := range Clients {
		checkThrough(t, path, &Clients[i], back)
	}
}

// checkThrough writes a rule for a client and reads it back.
func checkThrough(t *testing.T, path string, c *Client, rule Rule) {
	t.Helper()
	plan, err := Render([]Rule{rule}, []*Client{c}, func(string) bool { return false })
	if err != nil {
		t.Errorf("%s for %s: %v", path, c.Name, err)
		return
	}
	for _, file := range plan.Files {
		if len(file.Parts) == 0 {
			continue // the import of AGENTS.md
		}
		got, err := Read(file.Path, file.Content, map[ruleset.Name]Rule{rule.Name: rule})
		if err != nil || len(got) != 1 {
			t.Errorf("%s for %s: %v, %v", path, c.Name, got, err)
			continue
		}
		got[0].Own = rule.Own // it may keep another form of the same file
		if diff := cmp.Diff(rule, got[0]); diff != "" {
			t.Errorf("%s through %s, -want +got:\n%s%s", path, c.Name, diff, file.Content)
		}
	}
}

func TestRoundTrips(t *testing.T) {
	for _, f := range files {
		checkRoundTrip(t, f.path, []byte(f.text))
	}
}

// TestPublicFiles imports the rule files below the folder in TRIPTYCH_TEST_RULEFILES,
// which conformance/rulefiles.sh fills with those of public projects.
func TestPublicFiles(t *testing.T) {
	root := os.Getenv("TRIPTYCH_TEST_RULEFILES")
	if root == "" {
		t.Skip("TRIPTYCH_TEST_RULEFILES names no folder; conformance/rulefiles.sh makes one")
	}
	counts := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		_, rel, _ = strings.Cut(filepath.ToSlash(rel), "/") // the first folder is a project
		c := Of(rel)
		if c == nil {
			return nil
		}
		if _, atRoot := strings.CutPrefix(rel, c.Folder.Dir+"/"); !atRoot {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := c.Parse(rel, data, nil); err != nil {
			counts["refused"]++
			t.Logf("refused: %s: %v", path, err)
			return nil
		}
		counts[c.Name]++
		counts["all"]++
		t.Run(filepath.Base(filepath.Dir(path))+"/"+filepath.Base(path), func(t *testing.T) { checkRoundTrip(t, rel, data) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(fmt.Sprint(counts))
	if counts["all"] < 200 {
		t.Errorf("%d files, want at least 200", counts["all"])
	}
}
