package editors

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// Targets returns the clients of names, in the order of the table. An error names one
// that is unknown.
func Targets(names []string) ([]*Client, error) {
	for _, name := range names {
		if Find(name) == nil {
			return nil, fmt.Errorf("unknown target %q; there are %s", name, strings.Join(Names(), ", "))
		}
	}
	var all []*Client
	for i := range Clients {
		if slices.Contains(names, Clients[i].Name) {
			all = append(all, &Clients[i])
		}
	}
	return all, nil
}

// A renderer collects the files of a plan.
type renderer struct {
	plan     Plan
	byPath   map[string]*File
	sections map[string][]Section // of shared files, by path
	revs     map[ruleset.Name]int
	skills   []string             // folders of skills that are written to
	rank     map[ruleset.Name]int // the places of the rules
	isDir    func(string) bool
}

// Render returns the files that give clients the rules. isDir reports whether a path
// is a folder of the project; files for folders that do not exist are not made. A
// rule with marks of this program is an error.
func Render(rules []Rule, targets []*Client, isDir func(string) bool) (Plan, error) {
	rules = slices.Clone(rules)
	slices.SortFunc(rules, func(a, b Rule) int { return selection.Compare(a.place(), b.place()) })
	for _, r := range rules {
		if strings.Contains(r.Body, anyMark) || strings.Contains(r.Description, anyMark) {
			return Plan{}, fmt.Errorf("ruleset '%s': %w", r.Name, ErrMarks)
		}
	}
	w := renderer{byPath: map[string]*File{}, sections: map[string][]Section{}, rank: map[ruleset.Name]int{}, revs: map[ruleset.Name]int{}, isDir: isDir}
	for i, r := range rules {
		w.rank[r.Name], w.revs[r.Name] = i, r.Rev
	}
	for _, c := range targets {
		for _, r := range rules {
			w.add(c, r)
		}
	}
	w.finish(targets)
	return w.plan, nil
}

func (r Rule) place() selection.Place {
	return selection.Place{Layer: r.Layer, Order: r.Order, Name: string(r.Name)}
}

// add renders one rule for one client.
func (w *renderer) add(c *Client, r Rule) {
	note := Note{Client: c.Name, Rule: r.Name, Outcome: Native}
	switch {
	case c.Shared == "CLAUDE.md":
		w.imports(c)
		return
	case !(&frontmatter.Fields{Targets: r.Targets}).For(c.Name):
		note.Outcome, note.Reason = Skipped, "its targets do not name this client"
	case r.IsSkill:
		w.addSkill(c, r, &note)
	case r.Prompt:
		w.addCommand(c, r, &note)
	case c.Folder != nil:
		w.addOwn(c, r, &note)
	default:
		w.addSection(c, r, &note)
	}
	w.plan.Notes = append(w.plan.Notes, note)
}

// imports makes a CLAUDE.md that imports AGENTS.md.
func (w *renderer) imports(c *Client) {
	if w.byPath[c.Shared] == nil {
		w.put(c.Shared, true, []byte(beginMark+"@"+agentsFile+"\n"+endMark), nil)
	}
}

func (w *renderer) put(path string, shared bool, content []byte, parts []Part) {
	if w.byPath[path] == nil {
		w.byPath[path] = &File{Path: path, Shared: shared, Content: content, Parts: parts}
	}
}

func (w *renderer) addSkill(c *Client, r Rule, note *Note) {
	if len(c.Skills) == 0 {
		note.Outcome, note.Reason = Skipped, "it has no skills"
		return
	}
	dir := c.Skills[0]
	for _, other := range c.Skills {
		if slices.Contains(w.skills, other) {
			dir = other // it reads what another client got
			break
		}
	}
	if !slices.Contains(w.skills, dir) {
		w.skills = append(w.skills, dir)
	}
	note.Path = dir + "/" + r.SkillFolder() + "/SKILL.md"
	w.put(note.Path, false, skill(r), []Part{{r.Name, r.Rev}})
	for _, f := range r.Files {
		w.put(path.Join(path.Dir(note.Path), f.Path), false, f.Data, []Part{{r.Name, r.Rev}})
	}
}

func (w *renderer) addCommand(c *Client, r Rule, note *Note) {
	if c.Commands == nil {
		note.Outcome, note.Reason = Skipped, "it has no commands made of files"
		return
	}
	note.Path = c.commandPath(r)
	content, reason := c.command(r)
	if reason != "" {
		note.Outcome, note.Reason = Projected, reason
	}
	w.put(note.Path, false, content, []Part{{r.Name, r.Rev}})
}

func (w *renderer) addOwn(c *Client, r Rule, note *Note) {
	act, outcome := c.activate(r)
	note.Outcome = outcome
	switch {
	case outcome == Skipped:
		note.Reason = "it has no rules that only a person starts"
		return
	case outcome == Projected && act == Always:
		note.Reason = "it cannot choose a rule by its description: loaded with every request"
	case outcome == Projected:
		note.Reason = "it has no globs: loaded when the model asks for it by its description"
	}
	note.Path = c.PathOf(r)
	if inner, nested := c.within(r); nested && w.isDir(r.Own[c.form()].File.Base) {
		note.Path = path.Join(r.Own[c.form()].File.Base, note.Path)
		r, act = inner, inner.Activation
		note.Outcome, note.Reason = Native, ""
	}
	w.put(note.Path, false, c.file(r, act), []Part{{r.Name, r.Rev}})
}

func (w *renderer) addSection(c *Client, r Rule, note *Note) {
	note.Path = c.Shared
	nested := false
	switch r.Activation {
	case Manual:
		*note = Note{Client: c.Name, Rule: r.Name, Outcome: Skipped, Reason: "it has no rules that only a person starts"}
		return
	case Auto:
		note.Outcome, note.Reason = Projected, "it cannot choose a rule by its description: a section that says when it applies"
	case Glob:
		note.Outcome, note.Reason = Projected, "it has no globs: a section that names them"
		if dir := folderOf(r.Globs); dir != "" && c.Nested && w.isDir(dir) {
			note.Path, nested = path.Join(dir, c.Shared), true
			note.Reason = "it has no globs: in the file of the folder"
		}
	}
	sections := w.sections[note.Path]
	if !slices.ContainsFunc(sections, func(s Section) bool { return s.Name == r.Name }) {
		w.sections[note.Path] = append(sections, section(r, nested))
	}
}

// finish makes the shared files, sorts all, and warns.
func (w *renderer) finish(targets []*Client) {
	for path, sections := range w.sections {
		slices.SortFunc(sections, func(a, b Section) int { return w.rank[a.Name] - w.rank[b.Name] })
		file := &File{Path: path, Shared: true, Content: []byte(blockText(sections))}
		for _, s := range sections {
			file.Parts = append(file.Parts, Part{s.Name, w.revs[s.Name]})
		}
		w.byPath[path] = file
	}
	readers := map[string][]string{} // by folder and extension, since most files are alike
	for _, path := range sortedKeys(w.byPath) {
		file := w.byPath[path]
		file.Reaches = reaches(readers, file)
		w.plan.Files = append(w.plan.Files, *file)
	}
	w.warnTwice(targets)
}

// reaches returns the names of the clients that load a file.
func reaches(known map[string][]string, file *File) []string {
	key := file.Path
	if !file.Shared {
		key = path.Dir(file.Path) + "/*" + path.Ext(file.Path)
	}
	names, ok := known[key]
	if !ok {
		for _, c := range Readers(file.Path) {
			names = append(names, c.Name)
		}
		known[key] = names
	}
	return names
}

// warnTwice warns of clients that load a rule from two files.
func (w *renderer) warnTwice(targets []*Client) {
	for _, c := range targets {
		files := map[ruleset.Name][]string{}
		for _, file := range w.plan.Files {
			if slices.Contains(file.Reaches, c.Name) {
				for _, part := range file.Parts {
					files[part.Name] = append(files[part.Name], file.Path)
				}
			}
		}
		var twice []ruleset.Name
		example := ""
		for _, name := range sortedKeys(files) {
			if len(files[name]) > 1 {
				twice = append(twice, name)
				example = cmp.Or(example, strings.Join(files[name], " and "))
			}
		}
		if len(twice) > 0 {
			w.plan.Warnings = append(w.plan.Warnings, fmt.Sprintf("%s: loads %s twice, from %s", c.Name, ruleset.NameList(twice, len(twice)), example))
		}
	}
}
