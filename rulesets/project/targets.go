package project

import (
	"path"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// AutoTarget stands for the clients that a project uses.
const AutoTarget = "auto"

// UsedTargets returns the clients that a project uses: those whose own folders or files it
// has, without clients that only read the files of others. Without any it is AGENTS.md.
func (p *Project) UsedTargets() (names []string) {
	owners := map[string]string{} // by folder or file: the first client in the table
	add := func(place, client string) {
		if owners[place] == "" {
			owners[place] = client
		}
	}
	for _, c := range editors.Clients {
		if c.Folder != nil {
			add(c.Folder.Dir, c.Name)
			add(path.Dir(c.Folder.Dir), c.Name)
		}
		for _, f := range c.Others {
			add(f.Dir, c.Name)
		}
		if c.Commands != nil {
			add(c.Commands.Dir, c.Name)
		}
		for _, dir := range c.Skills[:min(1, len(c.Skills))] {
			add(dir, c.Name)
		}
		if c.Shared != "" && c.Shared != "CLAUDE.md" {
			add(c.Shared, c.Name)
		}
	}
	owners["CLAUDE.md"], owners["GEMINI.md"] = "claude", "gemini"
	for place, client := range map[string]string{".cursorrules": "cursor", ".windsurfrules": "devin", ".github/copilot-instructions.md": "copilot"} {
		owners[place] = client
	}
	delete(owners, ".")
	delete(owners, ".github")
	delete(owners, ".agents")
	used := map[string]bool{}
	for place, client := range owners {
		if p.disk.isDir(place) || p.exists(place) {
			used[client] = true
		}
	}
	for _, name := range editors.Names() {
		if used[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = []string{"agents"}
	}
	return slices.Clip(names)
}
