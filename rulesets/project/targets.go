package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// AutoTarget stands for the clients that a project uses.
const AutoTarget = "auto"

// UsedTargets returns the clients that a project uses: those whose own folders or files it
// has, without clients that only read the files of others. Without any it is AGENTS.md.
func (p *Project) UsedTargets() (names []string) {
	owners := owners()
	used := map[string]bool{}
	for place, client := range owners {
		if p.disk.isDir(place) || p.links.exists(place) {
			used[client] = true
		}
	}
	for _, client := range p.usedBelow() {
		used[client] = true
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

// owners returns the folders and files in the root of a project that show that it uses a
// client: the first one in the table that has them for its own.
func owners() map[string]string {
	owners := map[string]string{"CLAUDE.md": "claude", "GEMINI.md": "gemini"}
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
		if c.Shared != "" {
			add(c.Shared, c.Name)
		}
	}
	for _, s := range editors.Spots {
		if s.Use == editors.Command && editors.Find(s.Client) != nil && !strings.Contains(s.Dir, "*") {
			add(s.Dir, s.Client)
		}
	}
	for place, client := range map[string]string{".cursorrules": "cursor", ".windsurfrules": "devin", ".github/copilot-instructions.md": "copilot"} {
		owners[place] = client
	}
	delete(owners, ".")
	delete(owners, ".github")
	delete(owners, ".agents")
	return owners
}

// maxBelow is the number of files and folders in which clients are searched below the root.
const maxBelow = 100_000

// usedBelow returns the clients that have rules of their own in a folder below the root.
func (p *Project) usedBelow() (names []string) {
	seen, left := map[string]bool{}, maxBelow
	err := fs.WalkDir(p.disk.root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		switch {
		case err != nil:
			return fs.SkipDir
		case file == ".":
			return nil
		case d.IsDir() && (notOurs[d.Name()] || strings.HasPrefix(d.Name(), ".") && !editors.KnowsFolder(d.Name())):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if at := editors.PlaceOf(file); at.Use == editors.RuleFile && at.Client != nil && at.Base != "." && !seen[at.Client.Name] {
			seen[at.Client.Name] = true
			names = append(names, at.Client.Name)
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return names
}

// notOurs are folders with rule files that are not for those who work on the project.
var notOurs = map[string]bool{
	"node_modules": true, "vendor": true, "examples": true, "example": true, "templates": true, "template": true,
	"test": true, "tests": true, "testdata": true, "fixture": true, "fixtures": true, "__tests__": true, "__fixtures__": true,
}
