package rulefiles_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

func TestDraft(t *testing.T) {
	for _, tc := range []struct {
		name, path, text string
		want             ruleset.Draft
	}{
		{
			"front matter as Cursor writes it", "rules/react-hooks.mdc",
			"---\ndescription: React: hooks\nglobs: **/*.{ts,tsx}\nalwaysApply: false\n---\n# Hooks\n",
			ruleset.Draft{Name: "react_hooks", Description: "React: hooks", Markdown: "# Hooks\n", Extra: "globs: ['**/*.{ts,tsx}']\nextra:\n  cursor:\n    triptych:\n      head: |\n        ---\n        description: React: hooks\n        globs: **/*.{ts,tsx}\n        alwaysApply: false\n        ---\n      tight: true\n"},
		},
		{
			"a value without a key's end", "a.mdc", "---\nglobs: *.ts, it's\ndescription:\n---\nText",
			ruleset.Draft{Name: "a", Description: "Text", Markdown: "Text", Extra: "globs: ['*.ts', it's]\nextra:\n  cursor:\n    triptych:\n      head: |\n        ---\n        globs: *.ts, it's\n        description:\n        ---\n      tight: true\n"},
		},
		{
			"Copilot", ".github/instructions/Go Style.instructions.md", "---\napplyTo: \"**/*.go\"\n---\n\nUse gofmt. Always.\n",
			ruleset.Draft{
				Name: "go_style", Description: "Use gofmt.", Markdown: "Use gofmt. Always.\n",
				Extra: "globs: ['**/*.go']\nextra:\n  copilot:\n    triptych:\n      path: Go Style.instructions.md\n      head: |\n        ---\n        applyTo: \"**/*.go\"\n        ---\n",
			},
		},
		{
			"lists and maps of others", "a.md", "---\npaths:\n  - a\n  - b\nmetadata: {x: [1]}\n---\n",
			ruleset.Draft{Name: "a", Extra: "paths:\n  - a\n  - b\nmetadata: {x: [1]}\n"},
		},
		{
			"an empty description is one", "a.md", "---\ndescription: \"\"\n---\n# Title\n", ruleset.Draft{Name: "a", Markdown: "# Title\n"},
		},
		{"no front matter", "CLAUDE.md", "\ufeff# For **Claude** #\r\nText\r\n", ruleset.Draft{Name: "claude", Description: "For Claude", Markdown: "# For **Claude** #\nText\n", Extra: "extra:\n  file:\n    triptych:\n      path: CLAUDE.md\n      crlf: true\n      bom: true\n"}},
		{"a sentence before a heading", ".cursorrules", "You are an expert. Really.\n\n# Later\n", ruleset.Draft{Name: "cursorrules", Description: "You are an expert.", Markdown: "You are an expert. Really.\n\n# Later\n", Extra: "extra:\n  file:\n    triptych:\n      path: .cursorrules\n"}},
		{"code and rules are no sentences", "a.md", "---\ntags: x, y\n---\n```\ncode\n```\n***\n- Item\n", ruleset.Draft{Name: "a", Description: "Item", Tags: []string{"x", "y"}, Markdown: "```\ncode\n```\n***\n- Item\n"}},
		{"a skill", "skills/pdf-forms/SKILL.md", "Fill", ruleset.Draft{Name: "pdf_forms", Description: "Fill", Markdown: "Fill", Extra: "skill: true\nextra:\n  skill:\n    triptych:\n      bare: true\n"}},
		{
			"a rule of Cursor", "/home/x/.cursor/rules/sub/a.mdc", "---\ndescription: A\nglobs: **/*.ts\nalwaysApply: false\n---\n\nText\n",
			ruleset.Draft{Name: "sub_a", Description: "A", Markdown: "Text\n", Extra: "globs: ['**/*.ts']\nextra:\n  cursor:\n    triptych:\n      path: sub/a.mdc\n      head: |\n        ---\n        description: A\n        globs: **/*.ts\n        alwaysApply: false\n        ---\n"},
		},
		{"a name in another form", "x.md", "---\nname: My Rule!\n---\n", ruleset.Draft{Name: "my_rule"}},
		{"a name that is none", "x.md", "---\nname: 日本\n---\n", ruleset.Draft{Name: "x"}},
		{"no line after the front matter", "x.md", "---\nname: y\n---", ruleset.Draft{Name: "y"}},
		{
			"times", "x.md", "---\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29T12:30:00+01:00\n---\n",
			ruleset.Draft{Name: "x", CreatedAt: time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC), LastModified: time.Date(2025, 10, 29, 11, 30, 0, 0, time.UTC)},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, notes, err := rulefiles.Draft(rulefiles.File{Path: tc.path, Rel: strings.TrimPrefix(tc.path, "/home/x/")}, tc.text)
			if err != nil || len(notes) > 0 {
				t.Fatal(notes, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What is left out of a file is said.
func TestDraftNotes(t *testing.T) {
	_, notes, err := rulefiles.Draft(rulefiles.File{Path: "a.md"}, "---\ndescription: [a]\ntags: {a: b}\ncreated_at: soon\n---\n")
	want := []string{"the description is not a text", "the tags are not a list of texts", "created_at is not a time such as 2025-10-29 10:30:00"}
	if diff := cmp.Diff(want, notes); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func TestDraftRefuses(t *testing.T) {
	for path, text := range map[string]string{"open.md": "---\na: b\n", "list.md": "---\n- a\n---\n", "!.md": "text", "yaml.md": "---\na:\n  - b\n c: d\n---\n"} {
		if d, _, err := rulefiles.Draft(rulefiles.File{Path: path}, text); err == nil {
			t.Errorf("%s became %+v", path, d)
		}
	}
}

func TestLongDescriptionsAreCut(t *testing.T) {
	d, _, err := rulefiles.Draft(rulefiles.File{Path: "a.md"}, strings.Repeat("wörter ", 100))
	if err != nil || len(d.Description) > 170 || !strings.HasSuffix(d.Description, "wörter…") {
		t.Errorf("%q, %v", d.Description, err)
	}
}

// A file that is written and read again is the same ruleset.
func TestPortableRoundTrip(t *testing.T) {
	at := time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC)
	for _, want := range []ruleset.Draft{
		{Name: "x", Description: "d: '#'", Tags: []string{"a, b", "true"}, Markdown: "---\n# M\n---\n", Extra: "globs: '**/*'\n", CreatedAt: at, LastModified: at.Add(time.Hour)},
		{Name: "x", Markdown: "text\n", Tags: []string{}, CreatedAt: at, LastModified: at},
	} {
		text, err := rulefiles.Portable(want.At(at))
		if err != nil {
			t.Fatal(err)
		}
		got, notes, err := rulefiles.Draft(rulefiles.File{Path: "x.md"}, string(text))
		if diff := cmp.Diff(want, got); diff != "" || err != nil || len(notes) > 0 {
			t.Errorf("%v %v -want +got:\n%s", notes, err, diff)
		}
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{
		"a.md", "b.MDC", "c.txt", "sub/d.md", "sub/i.mdc", ".hidden.md", ".idea/e.md", "node_modules/f.md", ".github/SECURITY.md", ".github/workflows/ci.yml",
		".cursor/rules/a.md", ".qwen/commands/q.toml",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(map[bool]string{true: " \n"}[name == "sub/i.mdc"]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found, err := rulefiles.Find([]string{root, filepath.Join(root, "c.txt")}, "")
	if err != nil {
		t.Fatal(err)
	}
	relative := func(path string) string {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(rel)
	}
	var files, left []string
	for _, f := range found.Files {
		files = append(files, relative(f.Path))
	}
	for _, l := range found.Left {
		left = append(left, relative(l.Path)+": "+l.Reason)
	}
	wantFiles := []string{"a.md", "b.MDC", "sub/d.md", "c.txt"}
	wantLeft := []string{
		".cursor/rules/a.md: Cursor reads files there that end in .mdc",
		".github/SECURITY.md: no rule, command or skill of a client", ".github/workflows/ci.yml: no rule, command or skill of a client", ".hidden.md: a hidden file",
		".idea: a hidden folder of no known editor", "c.txt: neither Markdown nor a rule file of a client", "node_modules: packages of others",
		".qwen/commands/q.toml: Qwen Code reads files there that end in .md", "sub/i.mdc: it is empty",
	}
	slices.Sort(wantLeft)
	if diff := cmp.Diff(wantFiles, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// What pull wrote into a file is no ruleset, and a file with damaged marks is not read.
func TestBlocksAreNotImported(t *testing.T) {
	root := t.TempDir()
	block := "<!-- triptych:begin -->\n<!-- triptych:rule a -->\nText\n\n<!-- triptych:end -->\n"
	for name, text := range map[string]string{"AGENTS.md": block, "web/CLAUDE.md": "\n\n" + block, "GEMINI.md": "Ours.\n\n" + block, "QWEN.md": strings.TrimSuffix(block, "<!-- triptych:end -->\n")} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		d, _, err := rulefiles.Draft(rulefiles.File{Path: path, Rel: name}, text)
		if (err == nil) != (name == "GEMINI.md") || err == nil && d.Markdown != "Ours.\n" {
			t.Errorf("%s becomes %+v, %v", name, d, err)
		}
	}
	found, err := rulefiles.Find([]string{root}, "")
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, l := range found.Left {
		left = append(left, filepath.Base(l.Path)+": "+l.Reason)
	}
	want := []string{"AGENTS.md: it has only what pull wrote into it", "CLAUDE.md: it has only what pull wrote into it"}
	if diff := cmp.Diff(want, left); diff != "" || len(found.Files) != 2 {
		t.Errorf("%v, left (-want +got):\n%s", found.Files, diff)
	}
}

// A folder with a SKILL.md is one rules file with the files beside it.
func TestSkillFolders(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "a", "pdf-forms/SKILL.md": "text", "pdf-forms/scripts/run.sh": "#!/bin/sh\n", "pdf-forms/empty": "", "pdf-forms/guide.md": "more",
		"pdf-forms/.hidden": "h", "pdf-forms/.git/config": "h",
	} {
		if err := rulefiles.WriteFile(root, ruleset.FileChange{Path: name, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	main := filepath.Join(root, "pdf-forms", "SKILL.md")
	if err := os.Symlink("SKILL.md", filepath.Join(root, "pdf-forms", "link")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	for _, from := range []string{root, filepath.Dir(main)} {
		found, err := rulefiles.Find([]string{from}, "")
		want := []string{filepath.Join(root, "a.md"), main}
		if from != root {
			want = want[1:]
		}
		var got []string
		for _, f := range found.Files {
			got = append(got, f.Path)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil || len(found.Left) != 0 {
			t.Errorf("%v, -want +got:\n%s", err, diff)
		}
	}
	files, notes, err := rulefiles.Attachments(main)
	want := []ruleset.FileChange{
		{Path: "empty", Data: []byte{}}, {Path: "guide.md", Data: []byte("more")}, {Path: "scripts/run.sh", Data: []byte("#!/bin/sh\n")},
	}
	if diff := cmp.Diff(want, files); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"hidden or linked: .git/, .hidden, link"}, notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if files, _, err := rulefiles.Attachments(filepath.Join(root, "a.md")); files != nil || err != nil {
		t.Errorf("a.md has %v, %v", files, err)
	}
}

func TestQualified(t *testing.T) {
	got := rulefiles.Qualified(filepath.FromSlash("/My Repo/api/AGENTS.md"), "agents")
	if diff := cmp.Diff([]ruleset.Name{"api_agents", "my_repo_api_agents"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Each file is read by its kind and place, or left with the reason; links are one file.
func TestFindByKindAndPlace(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"AGENTS.md": "# Root\n", "packages/api/AGENTS.md": "# API\n", "web/.cursor/rules/w.mdc": "---\nalwaysApply: true\n---\nWeb.\n",
		".claude/commands/release.md": "Release $ARGUMENTS.\n", ".clinerules/workflows/ship.md": "# Ship\n", ".windsurf/workflows/w.md": "# W\n",
		".gemini/commands/fix.toml": "prompt = \"Fix {{args}}\"\n", ".github/prompts/plan.prompt.md": "Plan ${input:feature}.\n",
		".claude/agents/r.md": "---\nname: r\n---\nYou are.\n", ".roo/rules-architect/a.md": "Architect.\n", ".roo/rules-architect/b.xml": "<a/>\n",
		".claude/skills/x/SKILL.md": "---\nname: x\ndescription: X.\n---\nX\n", ".claude/skills/x/run.sh": "#!/bin/sh\n",
		"CLAUDE.local.md": "mine\n", ".claude/rules/secret.md": "S\n", ".claude/rules/kept.md": "K\n", "build/AGENTS.md": "B\n", "README.md": "# R\n",
		"main.go": "package main\n", ".gitignore": "build/\n/.claude/rules/*\n!/.claude/rules/kept.md\n", ".git/HEAD": "ref: refs/heads/main\n",
	} {
		if err := rulefiles.WriteFile(root, ruleset.FileChange{Path: name, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"CLAUDE.md": "AGENTS.md", ".agents": ".claude", ".claude/rules/out.md": "../../../x.md", "GEMINI.md": "nothing"} {
		if err := os.Symlink(to, filepath.Join(root, from)); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(root), "x.md"), []byte("out\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := rulefiles.Find([]string{root}, "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range found.Files {
		d, _, err := rulefiles.Draft(f, read(t, f.Path))
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		keys := ""
		for line := range strings.Lines(d.Extra) {
			if word, _, ok := strings.Cut(line, ":"); ok && line[0] != ' ' && word != "extra" && word != "arguments" {
				keys += " " + strings.TrimSpace(line)
			}
		}
		got[f.Rel] = string(d.Name) + keys
	}
	want := map[string]string{
		"AGENTS.md": "agents", "packages/api/AGENTS.md": "agents globs: [packages/api/**]", "web/.cursor/rules/w.mdc": "w globs: [web/**]",
		".claude/commands/release.md": "release prompt: true", ".clinerules/workflows/ship.md": "ship prompt: true", ".windsurf/workflows/w.md": "w prompt: true",
		".gemini/commands/fix.toml": "fix prompt: true", ".github/prompts/plan.prompt.md": "plan prompt: true",
		".claude/skills/x/SKILL.md": "x skill: true", ".claude/rules/kept.md": "kept",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files, -want +got:\n%s", diff)
	}
	left := map[string]string{}
	for _, l := range found.Left {
		rel, err := filepath.Rel(root, l.Path)
		if err != nil {
			t.Fatal(err)
		}
		left[filepath.ToSlash(rel)], _, _ = strings.Cut(l.Reason, " ")
	}
	wantLeft := map[string]string{
		".claude/agents/r.md": "an", ".roo/rules-architect/a.md": "for", ".roo/rules-architect/b.xml": "for", "CLAUDE.local.md": "personal:", ".claude/rules/secret.md": "git",
		"build": "git", "README.md": "a", "main.go": "neither", ".gitignore": "neither", "CLAUDE.md": "the", ".agents": "a", ".claude/rules/out.md": "a", "GEMINI.md": "a",
	}
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("left, -want +got:\n%s", diff)
	}
	found, err = rulefiles.Find([]string{filepath.Join(root, "CLAUDE.local.md")}, "")
	if err != nil || len(found.Files) != 1 {
		t.Errorf("a personal file that is named: %v, %v", found, err)
	}
}

// In a project, Markdown outside of the places of clients is left: no client loads it.
func TestFindInProject(t *testing.T) {
	exported := "---\ndescription: E.\ntags: []\ncreated_at: 2026-01-02 03:04:05\nlast_modified: 2026-01-02 03:04:05\n---\n\nE\n"
	always := "---\nalwaysApply: true\n---\nA\n"
	files := map[string]string{
		"rules/a.md": "A\n", "rules/deep/b.mdc": always, "docs/c.instructions.md": "C\n", "prompts/d.prompt.md": "D\n", "notes.md": "N\n", "rules/e.md": exported,
		"skills/x/SKILL.md": "---\nname: x\ndescription: X.\n---\nX\n", "README.md": "R\n",
	}
	kept := map[string]string{"rules/e.md": "e"}
	skill := map[string]string{"skills/x/SKILL.md": "x"}
	byOwnName := map[string]string{"rules/deep/b.mdc": "b", "docs/c.instructions.md": "c", "prompts/d.prompt.md": "d"}
	for name, test := range map[string]struct {
		more map[string]string // beside files
		from string
		want []map[string]string
	}{
		"a folder of rules":      {nil, ".", []map[string]string{kept, skill, byOwnName, {"rules/a.md": "a", "notes.md": "notes"}}},
		"a repository of rules":  {map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, ".", []map[string]string{kept, skill, byOwnName}},
		"a project of a client":  {map[string]string{"AGENTS.md": "X\n"}, ".", []map[string]string{kept, {"AGENTS.md": "agents"}}},
		"a rule of a client":     {map[string]string{".cursor/rules/r.mdc": always}, ".", []map[string]string{kept, {".cursor/rules/r.mdc": "r"}}},
		"skills of a client":     {map[string]string{"CLAUDE.md": "X\n", "lib/.claude/skills/y/SKILL.md": "Y\n"}, ".", []map[string]string{kept, {"CLAUDE.md": "claude", "lib/.claude/skills/y/SKILL.md": "y"}}},
		"skills that are named":  {map[string]string{"CLAUDE.md": "X\n"}, "skills", []map[string]string{skill}},
		"a folder that is named": {map[string]string{"AGENTS.md": "X\n", ".git/HEAD": "ref: refs/heads/main\n"}, "rules", []map[string]string{{"rules/a.md": "a", "rules/deep/b.mdc": "b", "rules/e.md": "e"}}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, some := range []map[string]string{files, test.more} {
				for path, text := range some {
					if err := rulefiles.WriteFile(root, ruleset.FileChange{Path: path, Data: []byte(text)}); err != nil {
						t.Fatal(err)
					}
				}
			}
			want := map[string]string{}
			for _, some := range test.want {
				maps.Copy(want, some)
			}
			found, err := rulefiles.Find([]string{filepath.Join(root, test.from)}, "")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, f := range found.Files {
				d, _, err := rulefiles.Draft(f, read(t, f.Path))
				if err != nil {
					t.Errorf("%s: %v", f.Path, err)
				}
				rel, err := filepath.Rel(root, f.Path)
				if err != nil {
					t.Fatal(err)
				}
				got[filepath.ToSlash(rel)] = string(d.Name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("files, -want +got:\n%s", diff)
			}
			for _, l := range found.Left {
				if filepath.Base(l.Path) != "README.md" && !strings.HasSuffix(l.Reason, "it is imported if it or its folder is named") {
					t.Errorf("left %s: %s", l.Path, l.Reason)
				}
			}
		})
	}
}

// Many files that no client reads are told by their folder.
func TestFindSummarizesUnread(t *testing.T) {
	root := t.TempDir()
	for i := range 21 {
		if err := rulefiles.WriteFile(root, ruleset.FileChange{Path: fmt.Sprintf("rules/%d.md", i), Data: []byte("R\n")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := rulefiles.WriteFile(root, ruleset.FileChange{Path: "AGENTS.md", Data: []byte("X\n")}); err != nil {
		t.Fatal(err)
	}
	found, err := rulefiles.Find([]string{root}, "")
	want := []rulefiles.Left{{Path: filepath.Join(root, "rules") + " (21 files)", Reason: "no client reads it here; it is imported if it or its folder is named"}}
	if diff := cmp.Diff(want, found.Left); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
