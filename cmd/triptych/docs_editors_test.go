package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// editorsDocument is docs/editors.md: what the table of clients says.
func editorsDocument(*testing.T) string {
	var d document
	d.line("# Rule files of editors\n\n%s", generated)
	d.line("`triptych rulesets pull --target NAME,…` writes rulesets into the files of these clients,\n" +
		"`triptych rulesets import` reads them, and `triptych rulesets explain FILE` says which of\n" +
		"them each client loads. Formats change monthly: each client has its sources and the day\n" +
		"on which they were read at the end of this page. Those with a version there were asked\n" +
		"themselves which files they load (conformance/editors); of the others the documents are\n" +
		"all that is known.\n")
	d.line("## Where rules go\n")
	d.targetsTable()
	d.line("A client with a folder gets each rule as a file of its own. The others get all rules in\n" +
		"one block of the file, between marks; the rest of the file is yours. \"and nested\" means\n" +
		"that a rule whose only glob is `DIR/**` goes into the file in DIR, if DIR exists. Skills\n" +
		"go into the first folder of the row that another target got them in, else into the\n" +
		"first.\n")
	d.line("A client is given a rule once. If it reads AGENTS.md beside a folder of its own, a rule for\n" +
		"all files goes into AGENTS.md alone. A rule or a skill that the project had in a file of that\n" +
		"client, before it was imported, stays there, and the target `agents` leaves it out; name a\n" +
		"client that has AGENTS.md alone, such as `codex`, to have it in AGENTS.md as well. A rule with\n" +
		"globs of another project is written in both, and `pull` warns.\n")
	d.line("`--target auto` takes the clients with folders or files of their own in the project, also\n" +
		"below its root, but not in folders of examples, templates and tests.\n")
	d.line("## Kinds of files\n")
	d.line("What each client makes of the files in its folders, and what `triptych rulesets import`\n" +
		"makes of them. A folder counts in the root of the project and below it: rules and\n" +
		"instructions in `DIR/…` are for `DIR/**`, and `pull` writes them there again.\n")
	d.kindsTable()
	d.line("Files of one person, such as `*.local.*`, and what git ignores are left as well. They are\n" +
		"imported only if they are named.\n")
	d.line("No client reads a folder that is merely called `rules`, `prompts` or `docs`. In a project,\n" +
		"which git knows or which has rule files of a client in its root, Markdown outside of the\n" +
		"places above is left; `triptych rulesets import rules` imports such a folder. The same holds\n" +
		"for `*.mdc`, `*.instructions.md` and `*.prompt.md` in a project with rule files of a client;\n" +
		"in a repository without rule files of a client in its root, which is a collection of them,\n" +
		"they are imported from any folder, as the client reads them in its own.\n")
	d.line("Front matter ends at a line that begins with `---`; the rest of such a line, as in\n" +
		"`---# Title`, is text. Without an end, or behind a comment or an empty line, front matter is\n" +
		"text. So do Claude Code and GitHub Copilot (conformance/editors), and lint says so.\n" +
		"Front matter that is not YAML, as Cursor writes it for globs that begin with a star, is read\n" +
		"key by key and kept; lint notes it, for other programs lose it.\n")
	d.line("## Arguments of commands\n")
	d.argumentsTable()
	d.line("A prompt has `{{name}}` for an argument. Where a client has no placeholder for it, `pull`\n" +
		"says so, and what a person types follows the text. A command that was imported comes\n" +
		"back to its client with the placeholders that it had. What only some clients replace, the\n" +
		"output of a command, a file or a variable, stays as it is for the others, and `pull` says so.\n")
	d.line("## When rules are loaded\n")
	d.activationTable()
	d.line("What is in parentheses is a projection: the nearest form that the client has. `pull`\n" +
		"names each rule that is projected or skipped. In a block, a section names its globs, or\n" +
		"says when it applies.\n")
	d.line("## How globs match\n")
	d.globTable()
	d.line("## Limits\n")
	d.budgetTable()
	d.line("`pull` and `status` warn before anything is cut, and name the rules that are lost.\n")
	d.line("## Files that clients load besides\n")
	d.loadTable()
	d.line("\"first of\" are alternatives: the client loads the first that the folder has.\n")
	d.line("Some clients also load the files that a word such as `@docs/style.md` in these names, up to\n" +
		"five files deep, unless it is in code. Others read the word alone: a CLAUDE.md, GEMINI.md or\n" +
		"QWEN.md that imports Markdown becomes a ruleset for its own client.\n")
	d.importsTable()
	d.line("Links to files of the project are followed. Those who were asked also follow, from a folder\n" +
		"of rules:\n")
	d.linksTable()
	d.line("In every project, these files and folders of the user's home are loaded as well. `import`\n" +
		"leaves them, and `explain` lists those that are there.\n")
	d.homeTable()
	d.line("## Sources\n")
	for _, c := range editors.Clients {
		asked := ""
		if c.Asked != "" {
			asked = ", version " + c.Asked + " asked"
		}
		d.line("- **%s** (`%s`)%s, read on %s: %s", cell(c.Title), c.Name, asked, c.Read, strings.Join(append([]string{c.Source}, c.More...), ", "))
		if c.Note != "" {
			d.line("  %s", cell(c.Note))
		}
	}
	return d.String()
}

func (d *document) targetsTable() {
	var rows [][]string
	for _, c := range editors.Clients {
		rules := code(c.Shared)
		if c.Folder != nil {
			rules = code(c.Folder.Dir + "/*" + c.Folder.Ext)
		}
		if c.Nested {
			rules += " and nested"
		}
		commands := ""
		if c.Commands != nil {
			commands = code(c.Commands.Dir + "/*" + c.Commands.Ext)
		}
		rows = append(rows, []string{code(c.Name), cell(c.Title), rules, commands, codes(c.Skills)})
	}
	d.table([]string{"target", "client", "rules", "prompts as commands", "skills"}, rows)
}

func (d *document) kindsTable() {
	var rows [][]string
	for _, s := range editors.Spots {
		client := s.Client
		if editors.Find(client) != nil {
			client = code(client)
		}
		rows = append(rows, []string{client, code(s.String()), string(s.Use), s.Use.Becomes(), s.Source, s.Read})
	}
	d.table([]string{"client", "files", "are", "import makes", "source", "read on"}, rows)
}

func (d *document) argumentsTable() {
	var rows [][]string
	for _, c := range editors.Clients {
		if c.Commands == nil {
			continue
		}
		p, each, source, read := c.Commands.Args, "", c.Source, c.Read
		if p.Each != "" {
			each = code(strings.NewReplacer("%d", fmt.Sprint(p.First), "%s", "name").Replace(p.Each))
		}
		all := ""
		if p.All != "" {
			all = code(p.All)
		}
		if c.Commands.Source != "" {
			source, read = c.Commands.Source, c.Commands.Read
		}
		embeds := ""
		if c.Commands.Embeds != nil {
			embeds = codes(c.Commands.Embeds.Forms)
		}
		rows = append(rows, []string{code(c.Name), all, each, embeds, source, read})
	}
	d.table([]string{"target", "all arguments", "the first", "replaces", "source", "read on"}, rows)
}

func codes(words []string) string {
	var all []string
	for _, word := range words {
		all = append(all, code(word))
	}
	return strings.Join(all, ", ")
}

var activations = []editors.Activation{editors.Always, editors.Glob, editors.Auto, editors.Manual}

func (d *document) activationTable() {
	var rows [][]string
	for _, c := range editors.Clients {
		if c.Folder == nil {
			continue
		}
		row := []string{code(c.Name)}
		for _, act := range activations {
			to, projected := c.Folder.Projects[act]
			switch {
			case !projected:
				row = append(row, formOf(c.Folder, act))
			case to == "":
				row = append(row, "(skipped)")
			default:
				row = append(row, "("+formOf(c.Folder, to)+")")
			}
		}
		rows = append(rows, row)
	}
	rows = append(rows, []string{"a block", "a section", "(a section that names the globs, or the folder's file)", "(a section that says when)", "(skipped)"})
	d.table([]string{"target", "always", "glob", "auto", "manual"}, rows)
}

// formOf shows the keys that make a client load a rule so.
func formOf(f *editors.Folder, act editors.Activation) string {
	var keys []string
	for _, field := range f.Fields {
		if len(field.When) > 0 && !slices.Contains(field.When, act) {
			continue
		}
		switch field.Kind {
		case editors.Mode:
			keys = append(keys, field.Key+": "+f.Modes[act])
		case editors.AlwaysApply:
			keys = append(keys, fmt.Sprintf("%s: %v", field.Key, act == editors.Always))
		case editors.ListGlobs, editors.EitherGlobs:
			keys = append(keys, field.Key+`: ["a", "b"]`)
		case editors.RawGlobs, editors.CommaGlobs:
			value := map[editors.Kind]string{editors.RawGlobs: "a,b", editors.CommaGlobs: `"a,b"`}[field.Kind]
			if act == editors.Always {
				if len(f.Modes) > 0 || field.Kind == editors.RawGlobs {
					continue
				}
				value = `"**"`
			}
			keys = append(keys, field.Key+": "+value)
		case editors.Name, editors.Description:
			keys = append(keys, field.Key)
		}
	}
	if len(keys) == 0 {
		return "no front matter"
	}
	return codes(keys)
}

func (d *document) globTable() {
	var rows [][]string
	for _, c := range editors.Clients {
		if c.Folder == nil || !slices.ContainsFunc(c.Folder.Fields, func(f editors.Field) bool { return f.Kind >= editors.RawGlobs }) {
			continue
		}
		var rules []string
		for _, rule := range []struct {
			holds bool
			text  string
		}{
			{c.Folder.Dialect.AnyDepth, "matches at any depth, unless it begins with / or \\*\\*/"},
			{c.Folder.Dialect.Base, "without / it matches names in any folder"},
			{c.Folder.Dialect.IgnoreCase, "case does not matter"},
			{c.Folder.Dialect.NoRoot, "with / at the beginning it matches nothing"},
			{c.Folder.Dialect.Ignore, "as a line of .gitignore, and {a,b}; case does not matter"},
			{c.Folder.Dialect.NoDots, "\\* does not match a leading dot"},
		} {
			if rule.holds {
				rules = append(rules, rule.text)
			}
		}
		if len(rules) == 0 {
			rules = []string{"matches the whole path from the root"}
		}
		rows = append(rows, []string{code(c.Name), strings.Join(rules, "; ")})
	}
	d.table([]string{"target", "a glob"}, rows)
}

func (d *document) budgetTable() {
	var rows [][]string
	for _, c := range editors.Clients {
		for _, b := range c.Budgets {
			rows = append(rows, []string{code(c.Name), string(b.Of), fmt.Sprintf("%d %s", b.Size, b.Unit()), b.Effect, b.Source})
		}
	}
	d.table([]string{"client", "of", "limit", "what happens to the rest", "source"}, rows)
}

func (d *document) loadTable() {
	var rows [][]string
	for _, c := range editors.Clients {
		for _, l := range c.Loads {
			var names []string
			for _, alternative := range l.Names {
				names = append(names, codes(alternative))
			}
			text := strings.Join(names, "; ")
			if len(names) > 1 {
				text = "first of " + text
			}
			if len(l.Unless) > 0 {
				text += "; none if the working directory or a folder above it has " + codes(l.Unless)
			}
			rows = append(rows, []string{code(c.Name), l.In.String(), text, c.Source, c.Read})
		}
		for _, f := range c.Others {
			rows = append(rows, []string{code(c.Name), "root", code(f.Dir + "/*" + f.Ext), c.Source, c.Read})
		}
	}
	d.table([]string{"client", "in", "files", "source", "read on"}, rows)
}

// linksTable lists the clients that were asked which links they follow.
func (d *document) linksTable() {
	var rows [][]string
	word := map[bool]string{true: "yes", false: "no"}
	for _, c := range editors.Clients {
		if c.Links != nil {
			rows = append(rows, []string{code(c.Name), word[c.Links.Folders], word[c.Links.Outside], "conformance/editors", "2026-11-28"})
		}
	}
	d.table([]string{"client", "folders of the project", "files outside", "source", "asked on"}, rows)
}

// homeTable lists the files of the user.
func (d *document) homeTable() {
	var rows [][]string
	for _, c := range editors.Clients {
		var names []string
		for _, name := range c.Home {
			names = append(names, code("~/"+name))
		}
		if len(names) > 0 {
			rows = append(rows, []string{code(c.Name), strings.Join(names, ", "), c.Source, c.Read})
		}
	}
	d.table([]string{"client", "files", "source", "read on"}, rows)
}

// importsTable lists the clients that follow imports, and how.
func (d *document) importsTable() {
	var rows [][]string
	for _, c := range editors.Clients {
		if c.Imports == nil {
			continue
		}
		punctuation, folders := "part of the path", "any of the project"
		if c.Imports.Trims {
			punctuation = "no part of the path"
		}
		if c.Imports.Below {
			folders = "below the working directory; others only if a person allows it"
		}
		source, read := c.Source, c.Read
		if c.Imports.Source != "" {
			source, read = c.Imports.Source, "2026-11-28"
		}
		rows = append(rows, []string{code(c.Name), punctuation, folders, source, read})
	}
	d.table([]string{"client", "a comma behind it", "files", "source", "read on"}, rows)
}
