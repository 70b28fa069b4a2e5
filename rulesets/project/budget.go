package project

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// overBudgets warns of files that clients will not load whole, once the plan is
// applied.
func (p *Project) overBudgets(plan Plan, clients []*editors.Client) (warnings []string) {
	for _, c := range clients {
		for _, b := range c.Budgets {
			switch b.Of {
			case editors.FileBudget:
				warnings = append(warnings, p.overFile(plan, c, b)...)
			case editors.ChainBudget:
				warnings = append(warnings, p.overChain(plan, c, b)...)
			}
		}
	}
	return warnings
}

// overFile warns of rule files that are each too long for a client.
func (p *Project) overFile(plan Plan, c *editors.Client, b editors.Budget) []string {
	var long []string
	for _, i := range plan.Items {
		if !i.Shared && i.Content != nil && slices.Contains(i.Reaches, c.Name) && b.Measure(i.Content) > b.Size {
			long = append(long, fmt.Sprintf("%s (%d)", i.Path, b.Measure(i.Content)))
		}
	}
	if len(long) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: longer than %d %s, %s: %s", c.Name, b.Size, b.Unit(), b.Effect, strings.Join(long, ", "))}
}

// overChain warns of files that are too long together: those from the root to each
// folder that has one.
func (p *Project) overChain(plan Plan, c *editors.Client, b editors.Budget) (warnings []string) {
	planned := map[string]Item{}
	folders := map[string]bool{".": true}
	for _, i := range plan.Items {
		if i.Shared && i.Content != nil {
			planned[i.Path] = i
			folders[path.Dir(i.Path)] = true
		}
	}
	for _, folder := range p.disk.foldersWith(c) {
		folders[folder] = true
	}
	told := map[string]bool{}
	for _, folder := range sortedKeys(folders) {
		used := 0
		for _, file := range p.chain(c, planned, folder) {
			before := used
			used += len(file.content)
			if used > b.Size && !told[file.path] {
				told[file.path] = true
				warnings = append(warnings, overText(c, b, file, b.Size-before, used))
			}
		}
	}
	return warnings
}

// maxFolders limits the folders that are searched, so that a status of a large project
// stays fast.
const maxFolders = 2000

// foldersWith returns the folders of the project that have a file with a name that a
// client loads from more folders than the root, the nearest to the root first.
func (d *disk) foldersWith(c *editors.Client) (found []string) {
	root := d.root.FS()
	queue := []string{"."}
	for n := 0; n < min(len(queue), maxFolders); n++ {
		entries, err := fs.ReadDir(root, queue[n])
		if err != nil {
			continue // clients cannot read it either
		}
		has := false
		for _, e := range entries {
			has = has || e.Type().IsRegular() && c.LoadsNested(e.Name())
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !editors.Skips(e.Name()) {
				queue = append(queue, path.Join(queue[n], e.Name()))
			}
		}
		if has {
			found = append(found, queue[n])
		}
	}
	return found
}

// A chained file is one of those that a client loads together.
type chained struct {
	path    string
	content []byte
}

// chain returns the files that a client loads in a folder, as they will be, in order.
func (p *Project) chain(c *editors.Client, planned map[string]Item, folder string) (files []chained) {
	for _, dir := range editors.Ancestors(folder) {
		for _, load := range c.Loads {
			for _, name := range load.Take(dir, func(file string) bool { return p.willExist(planned, file) }) {
				content, _, _ := p.disk.read(name) // what cannot be read is in the plan
				if i, ok := planned[name]; ok && i.Err == nil {
					if block, err := editors.SplitBlock(content); err == nil {
						content = block.Join(string(i.Content))
					}
				}
				files = append(files, chained{name, content})
			}
		}
	}
	return files
}

func (p *Project) willExist(planned map[string]Item, file string) bool {
	if _, ok := planned[file]; ok {
		return true
	}
	_, exists, err := p.disk.read(file)
	return exists && err == nil
}

// overText describes the part of a file that exceeds a budget.
func overText(c *editors.Client, b editors.Budget, file chained, left, used int) string {
	cut, lost := editors.Beyond(file.content, max(left, 0))
	text := fmt.Sprintf("%s: %s: %d %s in all, of which it reads %d; the rest is %s", c.Name, file.path, used, b.Unit(), b.Size, b.Effect)
	if cut != "" {
		text += fmt.Sprintf("; %s is cut in the middle", cut)
	}
	if len(lost) > 0 {
		text += "; lost: " + ruleset.NameList(lost, len(lost))
	}
	return text
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
