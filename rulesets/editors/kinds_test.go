package editors

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func TestPlaceOf(t *testing.T) {
	for file, want := range map[string]string{
		"AGENTS.md":                                  "instructions . AGENTS.md",
		"packages/api/AGENTS.md":                     "instructions packages/api AGENTS.md",
		"a/CLAUDE.md":                                "instructions a CLAUDE.md",
		".claude/CLAUDE.md":                          "instructions . .claude/CLAUDE.md",
		"a/GEMINI.md":                                "instructions a GEMINI.md",
		"a/.github/copilot-instructions.md":          "instructions a .github/copilot-instructions.md",
		".cursor/rules/x/a.mdc":                      "rule . x/a.mdc",
		"web/.cursor/rules/w.mdc":                    "rule web w.mdc",
		"web/.github/instructions/w.instructions.md": "rule web w.instructions.md",
		".windsurf/rules/a.md":                       "rule . a.md",
		".roo/rules/a.md":                            "rule . a.md",
		".clinerules/a.md":                           "rule . a.md",
		".clinerules":                                "instructions . .clinerules",
		".claude/commands/git/commit.md":             "command . git/commit.md",
		".cursor/commands/a.md":                      "command . a.md",
		".github/prompts/plan.prompt.md":             "command . plan.prompt.md",
		".clinerules/workflows/ship.md":              "command . ship.md",
		".windsurf/workflows/ship.md":                "command . ship.md",
		".gemini/commands/a.toml":                    "command . a.toml",
		"sub/.claude/commands/a.md":                  "command sub a.md",
		".claude/agents/reviewer.md":                 "agent . reviewer.md",
		".github/agents/a.agent.md":                  "agent . a.agent.md",
		".github/chatmodes/a.chatmode.md":            "mode . a.chatmode.md",
		".roo/rules-architect/a.md":                  "mode . a.md",
		".roo/rules-architect/deep/a.xml":            "mode . deep/a.xml",
		".roomodes":                                  "mode . .roomodes",
		".claude/skills/x/SKILL.md":                  "skill . x/SKILL.md",
		"anywhere/x/SKILL.md":                        "skill . x/SKILL.md",
		"CLAUDE.local.md":                            "personal file . CLAUDE.local.md",
		".claude/rules/a.local.md":                   "personal file .claude/rules a.local.md",
		".claude/settings.local.json":                "personal file .claude settings.local.json",
		".claude/output-styles/a.md":                 "other file . output-styles/a.md",
		".github/workflows/ci.yml":                   "other file . workflows/ci.yml",
		".cursor/rules/a.md":                         "other file . rules/a.md",
		".clinerules/deep/a.md":                      "other file . deep/a.md",
		".agents/AGENTS.md":                          "other file .agents AGENTS.md",
		"docs/guide.md":                              "  ",
		"README.md":                                  "  ",
		"localization.md":                            "  ",
	} {
		p := PlaceOf(file)
		if got := fmt.Sprintf("%s %s %s", p.Use, p.Base, p.Rest); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// Every row of the table says where it is from, and is found by a path in its place.
func TestSpots(t *testing.T) {
	for _, s := range Spots {
		if !strings.HasPrefix(s.Source, "https://") || len(s.Read) != len("2026-11-28") || s.Use == "" {
			t.Errorf("%+v has no source", s)
		}
		file := strings.ReplaceAll(s.Dir, "*", "x")
		switch {
		case s.Use == SkillFile:
			file += "/x/SKILL.md"
		case s.Ext != "":
			file += "/x" + s.Ext
		case !strings.Contains(path.Base(s.Dir), ".") && s.Use != SharedFile || s.Use == ModeFile && strings.Contains(s.Dir, "/"):
			file += "/x"
		}
		if got := PlaceOf(file).Use; got != s.Use {
			t.Errorf("%s is a %s, want a %s", file, got, s.Use)
		}
	}
}

// Commands of every client become prompts and come back with the same bytes; another
// client gets its own placeholders.
func TestCommandsKeepTheirPlaceholders(t *testing.T) {
	for _, tc := range []struct{ path, text, body, hint, cursor, opencode, copilot, gemini string }{
		{".claude/commands/release.md", "---\ndescription: Make a release\nargument-hint: version\n---\nRelease $ARGUMENTS now.\n", "Release {{version}} now.\n", "[version]", "Release <version> now.\n", "Release $ARGUMENTS now.\n", "Release ${input:version} now.\n", "Release {{args}} now.\n"},
		{".claude/commands/git/pr.md", "Merge $1 into $2.\n", "Merge {{arg1}} into {{arg2}}.\n", "[arg1] [arg2]", "Merge <arg1> into <arg2>.\n", "Merge $1 into $2.\n", "Merge ${input:arg1} into ${input:arg2}.\n", "Merge <arg1> into <arg2>.\n\narg1, arg2: {{args}}\n"},
		{".opencode/commands/t.md", "---\ndescription: T\nagent: build\n---\n\nTest $1 and $ARGUMENTS.\n", "Test {{arg1}} and {{arguments}}.\n", "[arguments] [arg1]", "Test <arg1> and <arguments>.\n", "Test $1 and $ARGUMENTS.\n", "Test ${input:arg1} and ${input:arguments}.\n", "Test <arg1> and {{args}}.\n"},
		{".claude/commands/ship.md", "Ship $ARGUMENTS to $1 and `$2`.\n", "Ship {{arguments}} to {{arg1}} and `{{arg2}}`.\n", "[arguments] [arg1] [arg2]", "Ship <arguments> to <arg1> and `<arg2>`.\n", "Ship $ARGUMENTS to $1 and `$2`.\n", "Ship ${input:arguments} to ${input:arg1} and `${input:arg2}`.\n", "Ship {{args}} to <arg1> and `<arg2>`.\n"},
		{".github/prompts/plan.prompt.md", "---\nmode: agent\ndescription: 'Plan'\n---\nPlan ${input:feature:Which?} for ${input:who}.\n", "Plan {{feature}} for {{who}}.\n", "[feature] [who]", "Plan <feature> for <who>.\n", "Plan $1 for $2.\n", "Plan ${input:feature:Which?} for ${input:who}.\n", "Plan <feature> for <who>.\n\nfeature, who: {{args}}\n"},
		{".gemini/commands/fix.toml", "# ours\ndescription = \"Fix\"\nprompt = \"\"\"\nFix {{args}}.\n\"\"\"\n", "Fix {{arguments}}.\n", "[arguments]", "Fix <arguments>.\n", "Fix $ARGUMENTS.\n", "Fix ${input:arguments}.\n", "Fix {{args}}.\n"},
		{".cursor/commands/ship.md", "# Ship\r\n1. run tests\r\n", "# Ship\n1. run tests\n", "", "# Ship\n1. run tests\n", "# Ship\n1. run tests\n", "# Ship\n1. run tests\n", "# Ship\n1. run tests\n"},
	} {
		p := PlaceOf(tc.path)
		rule, err := Import(p, []byte(tc.text))
		if err != nil {
			t.Fatal(tc.path, err)
		}
		stored, err := rule.Update(ruleset.Ruleset{})
		if err != nil {
			t.Fatal(err)
		}
		r, problems := FromRuleset(stored)
		if !r.Prompt || r.Body != tc.body || r.Hint != tc.hint || len(problems) > 0 {
			t.Errorf("%s: prompt %v, %q, hint %q, %v", tc.path, r.Prompt, r.Body, r.Hint, problems)
		}
		if content, reason := p.Client.command(r); string(content) != tc.text || reason != "" || p.Client.commandPath(r) != tc.path {
			t.Errorf("%s comes back as %s, %q (%s)", tc.path, p.Client.commandPath(r), content, reason)
		}
		for client, want := range map[string]string{"cursor": tc.cursor, "opencode": tc.opencode, "copilot": tc.copilot} {
			if client == p.Client.Name {
				continue
			}
			content, reason := Find(client).command(r)
			if !strings.HasSuffix(string(content), want) {
				t.Errorf("%s for %s: %q, want %q", tc.path, client, content, want)
			}
			if projected := strings.Contains(want, "<"); projected != (reason != "") {
				t.Errorf("%s for %s: reason %q", tc.path, client, reason)
			}
			back, err := Find(client).parseCommand(PlaceOf(Find(client).commandPath(r)), content, r)
			if err != nil || back.Body != r.Body || strings.Join(back.Arguments, " ") != strings.Join(r.Arguments, " ") {
				t.Errorf("%s for %s is read back as %q %q, %v", tc.path, client, back.Body, back.Arguments, err)
			}
		}
		if content, _ := Find("gemini").command(r); p.Client.Name != "gemini" && Find("gemini").Commands.promptOf(string(content)) != tc.gemini {
			t.Errorf("%s for Gemini: %q, want the prompt %q", tc.path, content, tc.gemini)
		}
	}
}

// Clients end front matter at a line that begins with three dashes, and take front matter
// without an end for text (conformance/editors asks them). The file comes back with the same
// bytes.
func TestEndsOfFrontMatter(t *testing.T) {
	for end, want := range map[string]string{"---# Title\nText\n": "# Title\nText\n", "------\nText\n": "---\nText\n", "---Text": "Text", "Text\n": ""} {
		for file, front := range map[string]string{
			".claude/rules/a.md": "---\npaths: docs/**\n", ".cursor/rules/a.mdc": "---\nglobs: *.ts\nalwaysApply: false\n",
			".github/instructions/a.instructions.md": "---\napplyTo: 'docs/**'\n", ".kiro/steering/a.md": "---\r\ninclusion: fileMatch\r\nfileMatchPattern: a\r\n",
		} {
			text := front + end
			if strings.Contains(front, "\r") {
				text = front + strings.ReplaceAll(end, "\n", "\r\n")
			}
			p := PlaceOf(file)
			rule, err := Import(p, []byte(text))
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			stored, err := rule.Update(ruleset.Ruleset{})
			if err != nil {
				t.Fatal(err)
			}
			r, _ := FromRuleset(stored)
			body := want
			if want == "" {
				body = strings.ReplaceAll(text, "\r\n", "\n")
			}
			if isGlob := len(r.Globs) == 1 && r.Activation == Glob; isGlob != (want != "") || r.Body != body {
				t.Errorf("%q is %s for %q: %q", text, r.Activation, r.Globs, r.Body)
			}
			plan, err := Render([]Rule{r}, []*Client{p.Client}, func(string) bool { return true })
			if err != nil || len(plan.Files) != 1 || string(plan.Files[0].Content) != text {
				t.Errorf("%q comes back as %+v, %v", text, plan.Files, err)
			}
		}
	}
}

// A text that another client replaces by the output of a command, a file or a variable stays
// as it is, and is told.
func TestEmbeddedTextsAreTold(t *testing.T) {
	for file, text := range map[string]string{
		".claude/commands/a.md":        "Look at !`git log` first.\n",
		".opencode/commands/a.md":      "!`git log`\n",
		".gemini/commands/a.toml":      "prompt = \"Look at !{git log} and @{a.md}.\"\n",
		".github/prompts/a.prompt.md":  "Look at ${workspaceFolder}/a.\n",
		".kilocode/workflows/plain.md": "Wow!`x` @{ and ${HOME}.\n",
	} {
		p := PlaceOf(file)
		r, err := Import(p, []byte(text))
		if err != nil {
			t.Fatal(file, err)
		}
		for _, client := range []string{"claude", "opencode", "gemini", "copilot", "cursor", "qwen"} {
			c := Find(client)
			_, reason := c.command(r)
			same := c.Commands.Embeds == p.Client.Commands.Embeds
			if isPlain := strings.Contains(file, "plain"); (reason == "") != (same || isPlain) {
				t.Errorf("%s for %s: %q", file, client, reason)
			}
		}
	}
}

// Rules and commands go back to the folder that a client had for them before, as long as the
// project has that folder.
func TestElderFolders(t *testing.T) {
	for file, tc := range map[string]struct{ text, elsewhere string }{
		".windsurf/rules/a.md":            {"---\ntrigger: glob\nglobs: *.vue,*.svelte\n---\nText\n", ".devin/rules/a.md"},
		"web/.windsurf/rules/deep/b.md":   {"---\ntrigger: always_on\n---\n\nText\n", ".devin/rules/deep/b.md"},
		".opencode/command/run.md":        {"---\ndescription: Run\nagent: build\n---\nRun $1, then $ARGUMENTS.\n", ".opencode/commands/run.md"},
		"web/.opencode/command/git/up.md": {"Up $1\n", ".opencode/commands/git/up.md"},
	} {
		p := PlaceOf(file)
		rule, err := Import(p, []byte(tc.text))
		if err != nil || rule.Prompt && len(rule.Arguments) == 0 {
			t.Fatal(file, rule.Arguments, err)
		}
		stored, err := rule.Update(ruleset.Ruleset{})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := FromRuleset(stored)
		plan, err := Render([]Rule{r}, []*Client{p.Client}, func(dir string) bool { return strings.HasPrefix(file, dir+"/") })
		if err != nil || len(plan.Files) != 1 || plan.Files[0].Path != file || string(plan.Files[0].Content) != tc.text {
			t.Errorf("%s comes back as %v, %v", file, plan.Files, err)
		} else if len(plan.Files[0].Reaches) == 0 {
			t.Errorf("%s reaches no client", file)
		}
		plan, err = Render([]Rule{r}, []*Client{p.Client}, func(string) bool { return false })
		if err != nil || len(plan.Files) != 1 || plan.Files[0].Path != tc.elsewhere {
			t.Errorf("%s elsewhere is %v, %v", file, plan.Files, err)
		}
		if back, err := Read(file, []byte(tc.text+"More.\n"), map[ruleset.Name]Rule{r.Name: r}); err != nil || len(back) != 1 || !strings.HasSuffix(back[0].Body, "More.\n") {
			t.Errorf("%s is read back as %v, %v", file, back, err)
		}
	}
}

// A rule in a folder of the project is one for that folder, and is written there again.
func TestNestedRules(t *testing.T) {
	isDir := func(dir string) bool { return dir == "web" || dir == "packages/api" }
	for file, text := range map[string]string{
		"web/.cursor/rules/w.mdc":                    "---\ndescription: web\nalwaysApply: true\n---\nOnly for web.\n",
		"web/.cursor/rules/ts.mdc":                   "---\ndescription: web\nglobs: *.ts, src/**\nalwaysApply: false\n---\n\nText\n",
		"packages/api/.claude/rules/a.md":            "No front matter.\n",
		"packages/api/.claude/rules/p.md":            "---\npaths:\n  - *.go\n---\nGo.\n",
		"web/.github/instructions/w.instructions.md": "---\napplyTo: '**/*.ts'\n---\nText\n",
	} {
		p := PlaceOf(file)
		rule, err := Import(p, []byte(text))
		if err != nil {
			t.Fatal(file, err)
		}
		stored, err := rule.Update(ruleset.Ruleset{})
		if err != nil {
			t.Fatal(err)
		}
		r, _ := FromRuleset(stored)
		for _, glob := range r.Globs {
			if !strings.HasPrefix(glob, p.Base+"/") {
				t.Errorf("%s is for %q", file, r.Globs)
			}
		}
		if r.Activation != Glob {
			t.Errorf("%s is loaded as %s", file, r.Activation)
		}
		plan, err := Render([]Rule{r}, []*Client{p.Client}, isDir)
		if err != nil || len(plan.Files) != 1 || plan.Files[0].Path != file || string(plan.Files[0].Content) != text {
			t.Errorf("%s comes back as %v, %v", file, plan.Files, err)
		}
		plan, err = Render([]Rule{r}, []*Client{p.Client}, func(string) bool { return false })
		if err != nil || len(plan.Files) != 1 || strings.HasPrefix(plan.Files[0].Path, p.Base) || !strings.Contains(string(plan.Files[0].Content), p.Base+"/") {
			t.Errorf("%s elsewhere is %v, %v", file, plan.Files, err)
		}
	}
}
