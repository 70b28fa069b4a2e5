package editors

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// texts returns a plan as one text: the files, the notes that are not native, and the
// warnings.
func (p Plan) texts() string {
	var b strings.Builder
	for _, f := range p.Files {
		fmt.Fprintf(&b, "== %s %v\n%s", f.Path, f.Parts, f.Content)
	}
	for _, n := range p.Notes {
		if n.Outcome != Native {
			fmt.Fprintf(&b, "-- %s %s: %s: %s\n", n.Client, n.Rule, n.Outcome, n.Reason)
		}
	}
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "!! %s\n", w)
	}
	return b.String()
}

func targets(t *testing.T, names ...string) []*Client {
	t.Helper()
	all, err := Targets(names)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func rule(t *testing.T, name, description, extra, body string) Rule {
	t.Helper()
	r, problems := FromRuleset(ruleset.Ruleset{Meta: ruleset.Meta{Name: ruleset.Name(name), Description: description}, Extra: extra, Markdown: body, Rev: 3})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return r
}

// Each activation has the form that the clients' documents give for it.
func TestRenderActivations(t *testing.T) {
	rules := []Rule{
		rule(t, "always_on", "Core: \"x\"", "", "# Core"),
		rule(t, "for_api", "API", "globs: ['src/api/**', '*.ts']\norder: -1\n", "# API\n"),
		rule(t, "asked", "When asked", "activation: auto\n", "Text\n"),
		rule(t, "by_hand", "Manual", "activation: manual\n", "Text\n"),
	}
	for client, want := range map[string]string{
		"cursor": `== .cursor/rules/always-on.mdc [always_on@3]
---
description: 'Core: "x"'
alwaysApply: true
---

# Core
== .cursor/rules/asked.mdc [asked@3]
---
description: When asked
alwaysApply: false
---

Text
== .cursor/rules/by-hand.mdc [by_hand@3]
---
alwaysApply: false
---

Text
== .cursor/rules/for-api.mdc [for_api@3]
---
description: API
globs: src/api/**,*.ts
alwaysApply: false
---

# API
`,
		"claude": `== .claude/rules/always-on.md [always_on@3]
# Core
== .claude/rules/asked.md [asked@3]
Text
== .claude/rules/for-api.md [for_api@3]
---
paths:
  - "src/api/**"
  - "*.ts"
---

# API
-- claude asked: projected: it cannot choose a rule by its description: loaded with every request
-- claude by_hand: skipped: it has no rules that only a person starts
`,
		"devin": `== .devin/rules/always-on.md [always_on@3]
---
trigger: always_on
description: 'Core: "x"'
---

# Core
== .devin/rules/asked.md [asked@3]
---
trigger: model_decision
description: When asked
---

Text
== .devin/rules/by-hand.md [by_hand@3]
---
trigger: manual
description: Manual
---

Text
== .devin/rules/for-api.md [for_api@3]
---
trigger: glob
globs:
  - "src/api/**"
  - "*.ts"
description: API
---

# API
`,
		"kiro": `== .kiro/steering/always-on.md [always_on@3]
---
inclusion: always
---

# Core
== .kiro/steering/asked.md [asked@3]
---
inclusion: auto
name: asked
description: When asked
---

Text
== .kiro/steering/by-hand.md [by_hand@3]
---
inclusion: manual
---

Text
== .kiro/steering/for-api.md [for_api@3]
---
inclusion: fileMatch
fileMatchPattern:
  - "src/api/**"
  - "*.ts"
---

# API
`,
		"augment": `== .augment/rules/always-on.md [always_on@3]
---
type: always_apply
description: 'Core: "x"'
---

# Core
== .augment/rules/asked.md [asked@3]
---
type: agent_requested
description: When asked
---

Text
== .augment/rules/by-hand.md [by_hand@3]
---
type: manual
description: Manual
---

Text
== .augment/rules/for-api.md [for_api@3]
---
type: agent_requested
description: API
---

# API
-- augment for_api: projected: it has no globs: loaded when the model asks for it by its description
`,
		"codex": `== AGENTS.md [for_api@3 always_on@3 asked@3]
<!-- triptych:begin -->
<!-- triptych:rule for_api -->
For files that match ` + "`src/api/**`, `*.ts`" + `:

# API

<!-- triptych:rule always_on -->
# Core

<!-- triptych:rule asked -->
When this applies: When asked

Text

<!-- triptych:end -->
-- codex for_api: projected: it has no globs: a section that names them
-- codex asked: projected: it cannot choose a rule by its description: a section that says when it applies
-- codex by_hand: skipped: it has no rules that only a person starts
`,
	} {
		plan, err := Render(rules, targets(t, client), func(string) bool { return false })
		if diff := cmp.Diff(want, plan.texts()); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got:\n%s", client, err, diff)
		}
	}
}

// A glob for one folder becomes the AGENTS.md of the folder, if the folder exists.
func TestRenderNested(t *testing.T) {
	rules := []Rule{rule(t, "a", "", "globs: [pkg/api/**]\n", "A\n"), rule(t, "b", "", "globs: [../x/**]\n", "B\n"), rule(t, "c", "", "globs: [none/**]\n", "C\n")}
	plan, err := Render(rules, targets(t, "agents"), func(dir string) bool { return dir == "pkg/api" })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range plan.Files {
		got = append(got, fmt.Sprint(f.Path, f.Parts))
	}
	if diff := cmp.Diff([]string{"AGENTS.md[b@3 c@3]", "pkg/api/AGENTS.md[a@3]"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A file that several clients load is written once, and a client that loads a text
// from two files is named.
func TestRenderOncePerFile(t *testing.T) {
	rules := []Rule{
		rule(t, "a", "A", "", "A\n"), rule(t, "s", "A skill", "skill: {license: MIT}\n", "S\n"),
		rule(t, "p", "A prompt", "prompt: true\narguments: [file, {name: depth}]\n", "Look at $1.\n"),
		rule(t, "n", "Not here", "targets: [kiro]\n", "N\n"),
	}
	plan, err := Render(rules, targets(t, "agents", "codex", "cursor", "claude", "claude-import", "gemini"), func(string) bool { return false })
	want := `== .agents/skills/s/SKILL.md [s@3]
---
name: s
description: A skill
license: MIT
---

S
== .claude/commands/p.md [p@3]
---
description: A prompt
argument-hint: "[file] [depth]"
---

Look at $1.
== .claude/skills/s/SKILL.md [s@3]
---
name: s
description: A skill
license: MIT
---

S
== .cursor/commands/p.md [p@3]
Look at $1.
== .gemini/commands/p.toml [p@3]
description = "A prompt"
prompt = '''
Look at $1.

file, depth: {{args}}
'''
== AGENTS.md [a@3]
<!-- triptych:begin -->
<!-- triptych:rule a -->
A

<!-- triptych:end -->
== CLAUDE.md []
<!-- triptych:begin -->
@AGENTS.md
<!-- triptych:end -->
== GEMINI.md [a@3]
<!-- triptych:begin -->
<!-- triptych:rule a -->
A

<!-- triptych:end -->
-- agents n: skipped: its targets do not name this client
-- agents p: skipped: it has no commands made of files
-- claude n: skipped: its targets do not name this client
-- cursor n: skipped: its targets do not name this client
-- cursor p: projected: its arguments are not filled in: what is typed follows the text
-- codex n: skipped: its targets do not name this client
-- codex p: skipped: it has no commands made of files
-- gemini n: skipped: its targets do not name this client
-- gemini p: projected: it has one placeholder for all arguments: they follow the text
!! cursor: loads [s] twice, from .agents/skills/s/SKILL.md and .claude/skills/s/SKILL.md
`
	if diff := cmp.Diff(want, plan.texts()); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	for _, f := range plan.Files {
		if reached := strings.Join(f.Reaches, " "); f.Path == "AGENTS.md" && !strings.Contains(reached, "agents") || f.Path == ".claude/rules/a.md" && reached != "claude vscode" {
			t.Errorf("%s reaches %s", f.Path, reached)
		}
	}
}

// What a person writes in any file of a rule comes back, and nothing else changes.
func TestReadEdits(t *testing.T) {
	for _, base := range []Rule{
		rule(t, "a", "About a", "globs: ['x/**']\nowner: me\n", "One\n\nTwo"),
		rule(t, "s", "A skill", "skill: {license: MIT}\n", "One\n\nTwo\n"),
		rule(t, "p", "A 'prompt'", "prompt: true\n", "One\n\nTwo\n"),
	} {
		for i := range Clients {
			plan, err := Render([]Rule{base}, []*Client{&Clients[i]}, func(string) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range plan.Files {
				if len(f.Parts) == 0 {
					continue
				}
				edited := strings.Replace(string(f.Content), "One", "Uno\nDue", 1)
				got, err := Read(f.Path, []byte(edited), map[ruleset.Name]Rule{base.Name: base})
				if err != nil {
					t.Errorf("%s: %v", f.Path, err)
					continue
				}
				want := base
				want.Body = endLine(strings.Replace(base.Body, "One", "Uno\nDue", 1))
				if diff := cmp.Diff(want, got[0]); diff != "" {
					t.Errorf("%s, -want +got:\n%s", f.Path, diff)
				}
			}
		}
	}
}

// The bytes around a block stay: a mark of the byte order, CRLF, no end of the last
// line, an empty file.
func TestBlocksKeepTheRest(t *testing.T) {
	block := blockText([]Section{{Name: "a", Text: "A\n"}})
	for _, text := range []string{"", "# Ours", "# Ours\n", "# Ours\n\n\n", "\ufeff# Ours\r\n", "\ufeff", "a\r\nb\nc", "\n"} {
		before, err := SplitBlock([]byte(text))
		if err != nil || before.Found {
			t.Fatalf("%q: %+v, %v", text, before, err)
		}
		with := before.Join(block)
		again, err := SplitBlock(with)
		if err != nil || !again.Found || again.Text != block {
			t.Errorf("%q: %q is %+v, %v", text, with, again, err)
		}
		if got := again.Join(""); string(got) != text {
			t.Errorf("%q came back as %q", text, got)
		}
		tail := "\nMore of ours\n"
		if strings.Contains(text, "\r\n") {
			tail = "\r\nMore\r\n"
		}
		longer, err := SplitBlock(append(with, tail...))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(longer.Join(block)), string(with)+tail; got != want {
			t.Errorf("%q: with text behind it %q, want %q", text, got, want)
		}
		if got := longer.Join(""); string(got) != text+tail {
			t.Errorf("%q came back as %q", text+tail, got)
		}
	}
}

func TestBlocksRefuse(t *testing.T) {
	for text, want := range map[string]string{
		beginMark + "x\n":                      "no end",
		beginMark + endMark + beginMark:        "outside of the block",
		beginMark + "<!-- triptych:rule a -->": "no end",
	} {
		if _, err := SplitBlock([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Render([]Rule{{Name: "a", Body: "x\n" + endMark}}, targets(t, "cursor"), nil); !errors.Is(err, ErrMarks) {
		t.Errorf("a text with marks: %v", err)
	}
	if _, err := Read("AGENTS.md", []byte(beginMark+"stray\n"+endMark), nil); err == nil || !strings.Contains(err.Error(), "stray") {
		t.Errorf("text of no rule: %v", err)
	}
}

// Front matter that cannot be read counts as missing, and is told.
func TestFromRulesetTells(t *testing.T) {
	for _, extra := range []string{"activation: sometimes\n", "order: first\n", "extra: {cursor: x}\n", "extra: {cursor: {triptych: {bare: x}}}\n"} {
		got, problems := FromRuleset(ruleset.Ruleset{Extra: extra})
		if len(problems) != 1 || got.Activation != Always {
			t.Errorf("%q is %+v, %v", extra, got, problems)
		}
	}
}

// Every row says where its facts are from, and its paths stay inside of the project.
func TestClientsAreWhole(t *testing.T) {
	for _, c := range Clients {
		if c.Title == "" || !strings.HasPrefix(c.Source, "https://") || c.Read == "" || (c.Folder == nil) == (c.Shared == "") || len(c.Loads) == 0 {
			t.Errorf("%s is not whole", c.Name)
		}
		paths := append([]string{c.Shared}, c.Skills...)
		if c.Folder != nil {
			paths = append(paths, c.Folder.Dir)
		}
		for _, p := range paths {
			if p != "" && p != path.Clean(p) || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "..") {
				t.Errorf("%s: the path %q", c.Name, p)
			}
		}
	}
}
