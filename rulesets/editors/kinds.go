package editors

import (
	"path"
	"strings"
)

// A Use says how clients use a file in some place.
type Use string

// The uses.
const (
	RuleFile   Use = "rule"          // a file of one rule
	SharedFile Use = "instructions"  // a file such as AGENTS.md
	Command    Use = "command"       // a prompt that a person starts
	SkillFile  Use = "skill"         // a folder with a SKILL.md
	Subagent   Use = "agent"         // another agent with a task of its own
	ModeFile   Use = "mode"          // rules of one mode of the client
	Personal   Use = "personal file" // of one person, not of a team
	OtherFile  Use = "other file"    // in the folder of a client, and none of these
)

// Becomes says what import makes of a file of this use.
func (u Use) Becomes() string {
	switch u {
	case RuleFile, SharedFile:
		return "a ruleset; below the root of the project, one for its folder"
	case Command:
		return "a prompt"
	case SkillFile:
		return "a skill with its files"
	case Personal:
		return "left, unless it is named"
	}
	return "left"
}

// A Spot is a place in which a client looks for files of one use.
type Spot struct {
	Client string // its name in [Clients], or the title of one that is no target
	Use    Use
	Dir    string // a folder, whose last name may be a pattern; or the name of a file
	Ext    string // "" for a file, or for all files of a folder
	Source string
	Read   string // the day on which the source was read
}

// String returns the place as people write it.
func (s Spot) String() string {
	switch {
	case s.Use == SkillFile:
		return s.Dir + "/*/SKILL.md"
	case s.Ext == "":
		return s.Dir
	}
	return s.Dir + "/**/*" + s.Ext
}

// more are the places that the rows of [Clients] do not have.
var more = []Spot{
	{"claude", Subagent, ".claude/agents", ".md", "https://code.claude.com/docs/en/sub-agents", "2026-11-28"},
	{"claude", Personal, "CLAUDE.local.md", "", "https://code.claude.com/docs/en/memory", "2026-11-23"},
	{"cursor", Subagent, ".cursor/agents", ".md", "https://cursor.com/docs/context/subagents", "2026-11-28"},
	{"copilot", Subagent, ".github/agents", ".md", "https://docs.github.com/en/copilot/reference/custom-agents-configuration", "2026-11-28"},
	{"vscode", ModeFile, ".github/chatmodes", ".md", "https://code.visualstudio.com/docs/copilot/customization/custom-chat-modes", "2026-11-28"},
	{"codex", Subagent, ".codex/agents", ".toml", rulesyncFormats, "2026-11-22"},
	{"devin", RuleFile, ".windsurf/rules", ".md", "https://docs.devin.ai/desktop/cascade/memories", "2026-11-23"},
	{"devin", Command, ".windsurf/workflows", ".md", rulesyncFormats, "2026-11-22"},
	{"devin", Command, ".devin/workflows", ".md", rulesyncFormats, "2026-11-22"},
	{"devin", Personal, "AGENTS.local.md", "", "https://docs.devin.ai/desktop/cascade/memories", "2026-11-23"},
	{"cline", OtherFile, ".clinerules/hooks", "", rulesyncFormats, "2026-11-22"},
	{"antigravity", RuleFile, ".agent/rules", ".md", "https://antigravity.google/docs/rules-workflows", "2026-11-23"},
	{"antigravity", Command, ".agent/workflows", ".md", "https://antigravity.google/docs/rules-workflows", "2026-11-23"},
	{"gemini", Subagent, ".gemini/agents", ".md", rulesyncFormats, "2026-11-22"},
	{"augment", Subagent, ".augment/agents", ".md", rulesyncFormats, "2026-11-22"},
	{"opencode", Subagent, ".opencode/agents", ".md", "https://opencode.ai/docs/agents/", "2026-11-28"},
	{"opencode", Subagent, ".opencode/agent", ".md", "https://opencode.ai/docs/agents/", "2026-11-28"},
	{"opencode", Command, ".opencode/command", ".md", "https://opencode.ai/docs/commands/", "2026-11-28"},
	{"opencode", ModeFile, ".opencode/mode*", ".md", "https://opencode.ai/docs/agents/", "2026-11-28"},
	{"kilo", Subagent, ".kilo/agents", ".md", rulesyncFormats, "2026-11-22"},
	{"kilo", RuleFile, ".kilo/rules", ".md", rulesyncFormats, "2026-11-22"},
	{"kilo", RuleFile, ".kilocode/rules", ".md", rulesyncFormats, "2026-11-22"},
	{"kilo", ModeFile, ".kilocode/rules-*", "", rulesyncFormats, "2026-11-22"},
	{"kilo", Command, ".kilocode/workflows", ".md", rulesyncFormats, "2026-11-22"},
	{"junie", Subagent, ".junie/agents", ".md", rulesyncFormats, "2026-11-22"},
	{"qwen", Subagent, ".qwen/agents", ".md", rulesyncFormats, "2026-11-22"},
	{"kiro", Subagent, ".kiro/agents", "", rulesyncFormats, "2026-11-22"},
	{"kiro", Command, ".kiro/prompts", ".md", rulesyncFormats, "2026-11-22"},
	{"Roo Code", RuleFile, ".roo/rules", ".md", rooInstructions, "2026-11-28"},
	{"Roo Code", RuleFile, ".roo/rules", ".txt", rooInstructions, "2026-11-28"},
	{"Roo Code", ModeFile, ".roo/rules-*", "", rooInstructions, "2026-11-28"},
	{"Roo Code", SharedFile, ".roorules", "", rooInstructions, "2026-11-28"},
	{"Roo Code", ModeFile, ".roorules-*", "", rooInstructions, "2026-11-28"},
	{"Roo Code", ModeFile, ".clinerules-*", "", rooInstructions, "2026-11-28"},
	{"Roo Code", ModeFile, ".roomodes", "", rooInstructions, "2026-11-28"},
	{"Roo Code", Command, ".roo/commands", ".md", rulesyncFormats, "2026-11-22"},
	{"Continue", RuleFile, ".continue/rules", ".md", rulesyncFormats, "2026-11-22"},
	{"Continue", Command, ".continue/prompts", ".md", rulesyncFormats, "2026-11-22"},
	{"Trae", RuleFile, ".trae/rules", ".md", rulesyncFormats, "2026-11-22"},
	{"Amazon Q", RuleFile, ".amazonq/rules", ".md", rulesyncFormats, "2026-11-22"},
	{"Amazon Q", Command, ".amazonq/prompts", ".md", rulesyncFormats, "2026-11-22"},
	{"Qoder", RuleFile, ".qoder/rules", ".md", rulesyncFormats, "2026-11-22"},
	{"Factory", Subagent, ".factory/droids", ".md", rulesyncFormats, "2026-11-22"},
	{"Factory", Command, ".factory/commands", ".md", rulesyncFormats, "2026-11-22"},
	{"Goose", SharedFile, ".goosehints", "", rulesyncFormats, "2026-11-22"},
	{"rulesync", RuleFile, ".rulesync/rules", ".md", rulesyncFormats, "2026-11-22"},
	{"rulesync", Command, ".rulesync/commands", ".md", rulesyncFormats, "2026-11-22"},
	{"rulesync", Subagent, ".rulesync/subagents", ".md", rulesyncFormats, "2026-11-22"},
}

const rooInstructions = "https://docs.roocode.com/features/custom-instructions"

// Spots is the table of all places: for each client, what it makes of the files in
// which folder, or of which name. Import, pull, push, adopt, explain and the
// documentation read it.
var Spots = spots()

func spots() (all []Spot) {
	seen := map[Spot]bool{}
	add := func(s Spot) {
		key := Spot{Client: s.Client, Use: s.Use, Dir: s.Dir, Ext: s.Ext}
		if !seen[key] {
			seen[key] = true
			all = append(all, s)
		}
	}
	for i := range Clients {
		c := &Clients[i]
		if f := c.Folder; f != nil {
			add(Spot{c.Name, RuleFile, f.Dir, f.Ext, c.Source, c.Read})
		}
		for _, f := range c.Others {
			add(Spot{c.Name, RuleFile, f.Dir, f.Ext, c.Source, c.Read})
		}
		for _, l := range c.Loads {
			for _, names := range l.Names {
				for _, name := range names {
					if !isPersonal(name) {
						add(Spot{c.Name, SharedFile, name, "", c.Source, c.Read})
					}
				}
			}
		}
		if k := c.Commands; k != nil {
			source, read := c.Source, c.Read
			if k.Source != "" {
				source, read = k.Source, k.Read
			}
			add(Spot{c.Name, Command, k.Dir, k.Ext, source, read})
		}
		for _, dir := range c.Skills {
			add(Spot{c.Name, SkillFile, dir, "", c.Source, c.Read})
		}
		for _, s := range more {
			if s.Client == c.Name {
				add(s)
			}
		}
	}
	for _, s := range more {
		add(s)
	}
	return all
}

// A Place says how clients use the file at a path.
type Place struct {
	Use    Use
	Reader string  // who makes that of it: the title of a client
	Client *Client // nil if triptych does not write files for it
	Base   string  // the folder of the project that it is for, "." for all
	Dir    string  // the folder of such files below Base, "" for a file with a name
	Rest   string  // the path below Dir, or the name below Base
}

// PlaceOf returns the place of the file at a path, which is relative to the project; its
// use is "" if no client knows files there.
func PlaceOf(file string) Place {
	name := path.Base(file)
	if name == "SKILL.md" {
		dir := path.Dir(path.Dir(file))
		return Place{Use: SkillFile, Reader: "clients with skills", Base: ".", Dir: dir, Rest: strings.TrimPrefix(file, dir+"/")}
	}
	if isPersonal(name) {
		return Place{Use: Personal, Reader: "one person", Base: path.Dir(file), Rest: name}
	}
	parts := strings.Split(file, "/")
	for at := range parts {
		if best, rest, ok := longest(parts[at:]); ok {
			base := "."
			if at > 0 {
				base = strings.Join(parts[:at], "/")
			}
			p := Place{Use: best.Use, Reader: best.Client, Client: Find(best.Client), Base: base, Dir: best.Dir, Rest: rest}
			if p.Client != nil {
				p.Reader = p.Client.Title
			}
			if best.Use == SharedFile {
				p.Dir = ""
				if knownFolders[path.Base(base)] {
					p.Use, p.Reader = OtherFile, path.Base(base)
				}
			}
			return p
		}
	}
	for at, part := range parts[:len(parts)-1] {
		if knownFolders[part] {
			return Place{Use: OtherFile, Reader: part, Base: ".", Dir: strings.Join(parts[:at+1], "/"), Rest: strings.Join(parts[at+1:], "/")}
		}
	}
	return Place{}
}

// longest returns the spot with the longest folder that has a path, and the path below it.
func longest(parts []string) (best Spot, rest string, ok bool) {
	depth := 0
	for _, s := range Spots {
		n := strings.Count(s.Dir, "/") + 1
		if n <= depth || n > len(parts) || s.Use == SkillFile || !strings.HasSuffix(parts[len(parts)-1], s.Ext) {
			continue
		}
		isBelow := n < len(parts)
		if isBelow && (s.Use == SharedFile || s.Use == Personal) || !isBelow && s.Ext != "" {
			continue
		}
		if matched, err := path.Match(s.Dir, strings.Join(parts[:n], "/")); err != nil || !matched {
			continue
		}
		if s.Use == RuleFile && flatFolders[s.Dir] && len(parts) > n+1 {
			continue
		}
		best, depth, ok = s, n, true
		rest = strings.Join(parts[n:], "/")
		if rest == "" {
			rest = s.Dir
		}
	}
	return best, rest, ok
}

// ReadIn returns the title of the client that reads rules or commands in the folder of a
// file, and the end of their names; "" if none does.
func ReadIn(file string) (title, ext string) {
	for _, s := range Spots {
		inside := strings.Contains("/"+file, "/"+s.Dir+"/")
		if inside && s.Ext != "" && (s.Use == RuleFile || s.Use == Command) && !strings.HasSuffix(file, s.Ext) {
			if c := Find(s.Client); c != nil {
				return c.Title, s.Ext
			}
			return s.Client, s.Ext
		}
	}
	return "", ""
}

// flatFolders are folders of rules below which no folders are read.
var flatFolders = func() map[string]bool {
	flat := map[string]bool{}
	for _, c := range Clients {
		if c.Folder != nil && c.Folder.Flat {
			flat[c.Folder.Dir] = true
		}
	}
	return flat
}()

// knownFolders are the hidden folders of clients.
var knownFolders = func() map[string]bool {
	known := map[string]bool{}
	for _, s := range Spots {
		if first, _, below := strings.Cut(s.Dir, "/"); below && strings.HasPrefix(first, ".") || s.Ext != "" && strings.HasPrefix(first, ".") {
			known[first] = true
		}
	}
	return known
}()

// isPersonal reports whether a file is one person's by its name.
func isPersonal(name string) bool {
	base := path.Base(name)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	return ext != "" && strings.HasSuffix(stem, ".local") || strings.Contains(base, ".local.")
}

// In returns globs and an activation that are for the files of a folder of the project.
func In(base string, act Activation, globs []string) (Activation, []string) {
	if base == "." || base == "" {
		return act, globs
	}
	if act == Always {
		return Glob, []string{base + "/**"}
	}
	var all []string
	for _, glob := range globs {
		not, bare := "", strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
		if rest, excludes := strings.CutPrefix(bare, "!"); excludes {
			not, bare = "!", rest
		}
		if !strings.Contains(bare, "/") && bare != "**" {
			bare = "**/" + bare
		}
		all = append(all, not+base+"/"+bare)
	}
	return act, all
}

// KnowsFolder reports whether a hidden folder is one of a client.
func KnowsFolder(name string) bool { return knownFolders[name] }
