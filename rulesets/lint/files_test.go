package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// What other programs make of an imported file is told: YAML that they refuse, names of
// skills that break the specification, test data that is loaded.
func TestImportedFiles(t *testing.T) {
	for _, tc := range []struct{ file, text, want string }{
		{".cursor/rules/a.mdc", "---\nglobs:\n  - *.py\n  - *.pyi\n---\nText\n", "strict-yaml"},
		{".claude/rules/a.md", "---\npaths: *.ts\n---\nText\n", "strict-yaml"},
		{".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Use this when: asked\n---\nText\n", "strict-yaml"},
		{".claude/skills/web-helper/SKILL.md", "---\nname: Web Helper\ndescription: D.\n---\nText\n", "skill-name skill-name"},
		{".claude/skills/other/SKILL.md", "---\nname: web-helper\ndescription: D.\n---\nText\n", "skill-name"},
		{".claude/rules/tests/fixtures/bad.md", "Text.\n", "test-data"},
		{".claude/rules/tests/scoped.md", "---\npaths: [\"a/**\"]\n---\nText.\n", ""},
		{".claude/rules/a.md", "<!-- ours -->\n---\npaths: [\"**/*.ts\"]\n---\nText\n", "buried-front-matter"},
		{".claude/rules/a.md", "\n---\ndescription: x\n---\nText\n", "buried-front-matter"},
		{".claude/rules/a.md", "---\npaths: [\"**/*.ts\"]\n---\nText\n\n---\nnote: no front matter\n---\n", ""},
		{".claude/skills/ok/SKILL.md", "---\nname: ok\ndescription: \"D: d.\"\n---\nText\n", ""},
	} {
		rule, err := editors.Import(editors.PlaceOf(tc.file), []byte(tc.text))
		if err != nil {
			t.Fatal(tc.file, err)
		}
		r, err := rule.Update(ruleset.Ruleset{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range lint.Ruleset(r) {
			got = append(got, f.Rule)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s %q: %q, want %q", tc.file, tc.text, got, tc.want)
		}
	}
}

// Front matter that was sent with the text of a ruleset is told.
func TestFrontMatterInTheText(t *testing.T) {
	for want, all := range map[bool][]ruleset.Ruleset{
		true:  {{Markdown: "---\nglobs: [\"*.go\"]\n---\n# Go\n"}, {Markdown: "---\nowner: ann\n---"}},
		false: {{Markdown: "---\n# Go\n---\n"}, {Markdown: "---\n\nText: x\n"}, {Markdown: "# Go\n", Extra: "owner: ann\n"}},
	} {
		for _, r := range all {
			r.Name, r.Description = "one", "How we write Go"
			has := slices.ContainsFunc(lint.Ruleset(r), func(f lint.Finding) bool { return f.Rule == "buried-front-matter" })
			if has != want {
				t.Errorf("%q with %q: it is found: %v, want %v", r.Markdown, r.Extra, has, want)
			}
		}
	}
}
