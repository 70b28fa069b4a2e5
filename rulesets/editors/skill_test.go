package editors

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A published skill comes back with the same bytes, through the store, in every client's
// folder of skills; a change of the text changes no byte of the front matter.
func TestSkillsAreKept(t *testing.T) {
	for name, text := range map[string]string{
		"colon":      "---\nname: colon\ndescription: Use this skill when: the user asks about PDFs\n---\n\n# PDF\n",
		"block":      "---\nname: block\ndescription: |\n  First line.\n  Second line, \"quoted\".\nallowed-tools: Bash(git:*)\n---\n\n# Multi\n",
		"folded":     "---\nname: folded\ndescription: >-\n  Summarises texts.\n  Use it for: reports.\n---\n# No gap\n",
		"crlf":       "---\r\nname: crlf\r\ndescription: \"Counts words.\"\r\n---  \r\n\r\n# Count\r\n",
		"blanks":     "--- \nname: blanks\ndescription: D.\n---\t \n\nText without an end",
		"bom":        "\ufeff---\nname: bom\ndescription: 'It''s'\n---\n\nText\n",
		"web-helper": "---\nname: Web Helper\ndescription: Opens pages.\nread_when:\n  - Filling in forms\nmetadata: {\"hub\":{\"emoji\":\"🌐\",\"requires\":{\"bins\":[\"node\"]}}}\nallowed-tools: Bash(web-helper:*)\n---\n\n# Web helper\n",
		"stars":      "---\nname: stars\ndescription: D.\npaths:\n  - *.py\n  - *.pyi\n# a comment\nlicense: MIT\n---\n\nText\n",
		"bare":       "# Bare\n\nNo front matter.\n",
	} {
		rule, err := Import(PlaceOf(".agents/skills/"+name+"/SKILL.md"), []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		stored, err := rule.Update(ruleset.Ruleset{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		read, _ := FromRuleset(stored)
		plan, err := Render([]Rule{read}, []*Client{Find("claude"), Find("agents")}, func(string) bool { return true })
		if err != nil || len(plan.Files) != 2 {
			t.Fatalf("%s: %v, %v", name, plan.Files, err)
		}
		for _, f := range plan.Files {
			if string(f.Content) != text || !strings.HasSuffix(f.Path, "/skills/"+name+"/SKILL.md") {
				t.Errorf("%s: %s is\n%q, want\n%q", name, f.Path, f.Content, text)
			}
		}
		if name != "bare" {
			if served, ok := SkillText(stored); !ok || string(served) != text {
				t.Errorf("%s: served as %q, %v", name, served, ok)
			}
		}
		stored.Markdown = "Other.\n"
		changed, _ := FromRuleset(stored)
		head, _, _ := strings.Cut(text, strings.TrimSpace(rule.Body[:min(4, len(rule.Body))]))
		if got := string(skill(changed)); name != "bare" && !strings.HasPrefix(got, head) {
			t.Errorf("%s: after a change of the text\n%q does not begin with\n%q", name, got, head)
		}
	}
}

// A key that changes is written anew, the others stay.
func TestSkillKeysChange(t *testing.T) {
	rule, err := Import(PlaceOf("skills/a/SKILL.md"), []byte("---\nname: a\n# why\ndescription: \"Old\"\nlicense: 'MIT'\n---\n\nText\n"))
	if err != nil {
		t.Fatal(err)
	}
	rule.Description = "New"
	if got, want := string(skill(rule)), "---\nname: a\n# why\ndescription: New\nlicense: 'MIT'\n---\n\nText\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Rules that were imported from one path keep apart: the first has it, the others are named
// after themselves.
func TestFilesOfOnePath(t *testing.T) {
	skill := func(name string) Rule {
		return Rule{Name: ruleset.Name(name), Description: "D.", IsSkill: true, Activation: Always, Body: name + "\n", Own: map[string]Own{SkillForm: {File: OwnFile{Path: "review"}}}}
	}
	command := func(name string) Rule {
		return Rule{Name: ruleset.Name(name), Prompt: true, Activation: Always, Body: name + "\n", Own: map[string]Own{"claude": {File: OwnFile{Path: "ship.md"}}}}
	}
	plan, err := Render([]Rule{skill("a"), skill("b"), command("c"), command("d")}, []*Client{Find("claude")}, func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range plan.Files {
		got[f.Path] = string(f.Parts[0].Name)
	}
	want := map[string]string{
		".claude/skills/review/SKILL.md": "a", ".claude/skills/b/SKILL.md": "b", ".claude/commands/ship.md": "c", ".claude/commands/d.md": "d",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Skills and commands of a folder of the project go back there, if it has the folder.
func TestFilesOfAFolder(t *testing.T) {
	texts := map[string]string{
		"lib/.claude/skills/review/SKILL.md": "---\nname: review\ndescription: R.\n---\nR\n",
		"lib/.claude/commands/ship.md":       "Ship $ARGUMENTS.\n",
	}
	var rules []Rule
	for _, file := range sortedKeys(texts) {
		rule, err := Import(PlaceOf(file), []byte(texts[file]))
		if err != nil {
			t.Fatal(err)
		}
		stored, err := rule.Update(ruleset.Ruleset{})
		if err != nil {
			t.Fatal(err)
		}
		if rule, problems := FromRuleset(stored); len(problems) == 0 {
			rules = append(rules, rule)
		}
	}
	for _, has := range []bool{true, false} {
		plan, err := Render(rules, []*Client{Find("claude")}, func(string) bool { return has })
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, f := range plan.Files {
			got[f.Path] = string(f.Content)
		}
		want := map[string]string{}
		for file, text := range texts {
			if !has {
				file = strings.TrimPrefix(file, "lib/")
			}
			want[file] = text
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the folder is there: %v, -want +got:\n%s", has, diff)
		}
	}
	edited, err := Read("lib/.claude/skills/review/SKILL.md", []byte("---\nname: review\ndescription: New.\n---\nR\n"), map[ruleset.Name]Rule{"review": rules[1]})
	if err != nil || edited[0].base(SkillForm) != "lib" || edited[0].Description != "New." {
		t.Errorf("an edit: %+v, %v", edited, err)
	}
}
