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
// that is unknown; [PluginTarget] is known, and no client.
func Targets(names []string) ([]*Client, error) {
	wanted := map[string]bool{}
	for _, name := range names {
		if name == PluginTarget {
			continue
		}
		c := Find(name)
		if c == nil {
			return nil, unknownTarget(name)
		}
		wanted[c.Name] = true
	}
	var all []*Client
	for i := range Clients {
		if wanted[Clients[i].Name] {
			all = append(all, &Clients[i])
		}
	}
	return all, nil
}

func unknownTarget(name string) error {
	all := strings.Join(Names(), ", ") + ", and " + PluginTarget
	err := fmt.Errorf("unknown target %q; there are %s", name, all)
	if near := Similar(name); near != "" {
		err = fmt.Errorf("unknown target %q; did you mean %s? There are %s", name, near, all)
	}
	return err
}

// A renderer collects the files of a plan.
type renderer struct {
	plan     Plan
	byPath   map[string]*File
	sections map[string][]Section // of shared files, by path
	revs     map[ruleset.Name]int
	skills   []string             // folders of skills that are written to
	rank     map[ruleset.Name]int // the places of the rules
	site     Site
	whole    map[string]Rule         // the rules that are files such as AGENTS.md, by path
	claims   map[string]ruleset.Name // the rules that were imported from files, by their paths
}

// A Site is a project that files are rendered for.
type Site struct {
	IsDir  func(path string) bool
	Exists func(path string) bool // whether there is a file
	// Real returns the path of a file without links. It may be nil.
	Real func(path string) string
	// Read returns the text of a file. It may be nil.
	Read func(path string) (text string, ok bool)
	// Keeps reports whether the project had a file with a content before files were
	// written into it: a rule is at home there. It may be nil.
	Keeps func(path string, content []byte) bool
}

// takes reports whether a client loads the file at a path in the project, by its name or
// since another file that it loads imports it. has reports whether a file is there.
func (s Site) takes(c *Client, file string, has func(string) bool) bool {
	if c.Takes(file, has) {
		return true
	}
	if c.Imports == nil || s.Read == nil {
		return false
	}
	for _, l := range c.Loads {
		for _, dir := range Ancestors(path.Dir(file)) {
			if l.In == Root && dir != "." {
				continue
			}
			for _, from := range l.Take(dir, has) {
				if c.Takes(from, has) && slices.Contains(c.Imports.Of(from, ".", s.Read), file) {
					return true
				}
			}
		}
	}
	return false
}

func (w *renderer) isDir(path string) bool { return w.site.IsDir(path) }

// Render returns the files that give clients the rules. isDir reports whether a path
// is a folder of the project; files for folders that do not exist are not made. A
// rule with marks of this program is an error.
func Render(rules []Rule, targets []*Client, isDir func(string) bool) (Plan, error) {
	return RenderIn(rules, targets, Site{IsDir: isDir, Exists: func(string) bool { return false }})
}

// RenderIn is [Render] for a project with files of its own.
func RenderIn(rules []Rule, targets []*Client, site Site) (Plan, error) {
	rules = slices.Clone(rules)
	slices.SortFunc(rules, func(a, b Rule) int { return selection.Compare(a.place(), b.place()) })
	for _, r := range rules {
		if strings.Contains(r.Body, anyMark) || strings.Contains(r.Description, anyMark) {
			return Plan{}, fmt.Errorf("ruleset '%s': %w", r.Name, ErrMarks)
		}
	}
	w := renderer{byPath: map[string]*File{}, sections: map[string][]Section{}, rank: map[ruleset.Name]int{}, revs: map[ruleset.Name]int{}, site: site, whole: map[string]Rule{}, claims: map[string]ruleset.Name{}}
	for i, r := range rules {
		w.rank[r.Name], w.revs[r.Name] = i, r.Rev
	}
	w.claim(rules, targets)
	for _, c := range targets {
		for _, r := range rules {
			w.add(c, r, targets)
		}
	}
	w.finish(targets)
	return w.plan, nil
}

func (r Rule) place() selection.Place {
	return selection.Place{Layer: r.Layer, Order: r.Order, Name: string(r.Name)}
}

// add renders one rule for one client.
func (w *renderer) add(c *Client, r Rule, targets []*Client) {
	note := Note{Client: c.Name, Rule: r.Name, Outcome: Native}
	switch {
	case c.Shared == "CLAUDE.md":
		w.imports(c)
		return
	case !(&frontmatter.Fields{Targets: r.Targets}).For(c.Name):
		note.Outcome, note.Reason = Skipped, "its targets do not name this client"
	case w.served(c, r):
		w.whole[r.InPlace[0]] = r
		note.Path = r.InPlace[0]
	case c.Name == "agents" && w.homeOf(c, r, targets) != "":
		note.Outcome, note.Reason = Skipped, w.homeOf(c, r, targets)
	case r.IsSkill:
		w.addSkill(c, r, &note)
	case r.Prompt:
		w.addCommand(c, r, &note)
	case c.Folder != nil && w.shared(c, r, targets) != "" && !w.isHome(c, r):
		note.Path = w.shared(c, r, targets)
	case c.Folder != nil:
		w.addOwn(c, r, &note)
	default:
		w.addSection(c, r, &note)
	}
	if note.Outcome == Native && r.Own[SharedForm].File.Path != "" && !slices.Contains(r.InPlace, note.Path) && importsRules(r.Body) {
		note.Outcome, note.Reason = Projected, "it imports files of the project that it is from"
	}
	w.plan.Notes = append(w.plan.Notes, note)
}

// imports makes a CLAUDE.md that imports AGENTS.md.
func (w *renderer) imports(c *Client) {
	if w.byPath[c.Shared] == nil {
		w.put(c.Shared, true, []byte(beginMark+"@"+agentsFile+"\n"+endMark), nil)
	}
}

// shared returns the shared file of another target in which a client reads a rule with the
// same meaning, "" if there is none: a client that would load a text twice is served
// once. A rule with globs in the file of the root means something else there.
func (w *renderer) shared(c *Client, r Rule, targets []*Client) string {
	for _, t := range targets {
		if t.Folder != nil || t.Shared == "" || t.Shared == "CLAUDE.md" || r.Activation == Manual || !(&frontmatter.Fields{Targets: r.Targets}).For(t.Name) {
			continue
		}
		file, nested := w.sectionPath(t, r)
		if !nested && r.Activation != Always {
			continue
		}
		if w.site.takes(c, file, w.site.Exists) {
			return file
		}
	}
	return ""
}

// served reports whether a client gets the text of a rule from a file of the project that
// is this text.
func (w *renderer) served(c *Client, r Rule) bool {
	return slices.ContainsFunc(r.InPlace, func(file string) bool {
		return c.Shared != "" && path.Base(file) == c.Shared || w.site.takes(c, file, w.site.Exists)
	})
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
	dir := cmp.Or(w.homeOfSkill(c, r), c.Skills[0])
	for _, other := range c.Skills {
		if slices.Contains(w.skills, other) && w.homeOfSkill(c, r) == "" {
			dir = other // it reads what another client got
			break
		}
	}
	if !slices.Contains(w.skills, dir) {
		w.skills = append(w.skills, dir)
	}
	if base := r.base(SkillForm); base != "" && w.isDir(base) {
		dir = path.Join(base, dir)
	}
	note.Path = dir + "/" + r.SkillFolder() + "/SKILL.md"
	if w.isOthers(note.Path, r) {
		note.Path = dir + "/" + r.Name.Slug() + "/SKILL.md" // both were imported from folders of one name
	}
	if w.isOthers(note.Path, r) {
		*note = Note{Client: c.Name, Rule: r.Name, Outcome: Skipped, Reason: "another skill has the folder " + path.Dir(note.Path)}
		return
	}
	w.put(note.Path, false, skill(r), []Part{{r.Name, r.Rev}})
	for _, f := range r.Files {
		w.put(path.Join(path.Dir(note.Path), f.Path), false, f.Data, []Part{{r.Name, r.Rev}})
	}
}

// isOthers reports whether a file is made of another rule, or is the one that another rule
// was imported from.
func (w *renderer) isOthers(file string, r Rule) bool {
	if claim := w.claims[file]; claim != "" && claim != r.Name {
		return true
	}
	other := w.byPath[file]
	return other != nil && other.Parts[0].Name != r.Name
}

// claim notes the files of the targets that rules were imported from.
func (w *renderer) claim(rules []Rule, targets []*Client) {
	for _, c := range targets {
		for _, r := range rules {
			file := ""
			switch {
			case r.IsSkill || r.Own[c.form()].File.Path == "":
			case r.Prompt && c.Commands != nil:
				file = w.commandFile(c, r)
			case !r.Prompt && c.Folder != nil:
				file, _, _ = w.own(c, r, r.Activation)
			}
			if file != "" && w.claims[file] == "" {
				w.claims[file] = r.Name
			}
		}
	}
}

// freePath returns the path of a rule's file: the usual one, or one made of its name where
// that is another rule's, with a number if it must be.
func (w *renderer) freePath(r Rule, file, dir, ext string) string {
	for n := 1; w.isOthers(file, r); n++ {
		if file = dir + "/" + r.Name.Slug() + ext; n > 1 {
			file = fmt.Sprintf("%s/%s-%d%s", dir, r.Name.Slug(), n, ext)
		}
	}
	return file
}

// commandFile returns the path of a prompt as a command of a client.
func (w *renderer) commandFile(c *Client, r Rule) string {
	base := r.base(c.form())
	if base != "" && !w.isDir(base) {
		base = ""
	}
	return path.Join(base, w.inElder(c, r, base, c.Commands.Dir, c.commandPath(r)))
}

func (w *renderer) addCommand(c *Client, r Rule, note *Note) {
	if c.Commands == nil {
		note.Outcome, note.Reason = Skipped, "it has no commands made of files"
		return
	}
	note.Path = w.freePath(r, w.commandFile(c, r), c.Commands.Dir, c.Commands.Ext)
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
	file, content, nested := w.own(c, r, act)
	if nested {
		note.Outcome, note.Reason = Native, ""
	}
	note.Path = w.freePath(r, file, c.Folder.Dir, c.Folder.Ext)
	w.put(note.Path, false, content, []Part{{r.Name, r.Rev}})
}

// own returns a rule's own file in the folder of a client; nested reports whether that is
// below the folder of the project that the rule was imported from.
func (w *renderer) own(c *Client, r Rule, act Activation) (file string, content []byte, nested bool) {
	file, base := c.PathOf(r), r.Own[c.form()].File.Base
	if inner, ok := c.within(r); ok && w.isDir(base) {
		return path.Join(base, w.inElder(c, r, base, c.Folder.Dir, file)), c.file(inner, inner.Activation), true
	}
	return w.inElder(c, r, "", c.Folder.Dir, file), c.file(r, act), false
}

// inElder returns a file in a folder of a client with the older folder in its place that the
// rule was imported from, if the project has that in the folder base.
func (w *renderer) inElder(c *Client, r Rule, base, dir, file string) string {
	elder := r.Own[c.form()].File.Dir
	at := PlaceOf(elder + "/" + path.Base(file))
	if elder == "" || at.Client == nil || at.Client.form() != c.form() || at.Dir != elder || !w.isDir(path.Join(base, elder)) {
		return file
	}
	return elder + strings.TrimPrefix(file, dir)
}

// isHome reports whether the project had the file with a rule for a client already.
func (w *renderer) isHome(c *Client, r Rule) bool {
	if w.site.Keeps == nil {
		return false
	}
	if r.IsSkill {
		return w.homeOfSkill(c, r) != ""
	}
	if c.Folder == nil || r.Prompt {
		return false
	}
	act, outcome := c.activate(r)
	file, content, _ := w.own(c, r, act)
	return outcome != Skipped && w.site.Keeps(file, content)
}

// homeOfSkill returns the folder of skills in which the project had a skill already, "" if
// there is none that a client reads.
func (w *renderer) homeOfSkill(c *Client, r Rule) string {
	if w.site.Keeps == nil {
		return ""
	}
	for _, dir := range c.Skills {
		if w.site.Keeps(path.Join(r.base(SkillForm), dir, r.SkillFolder(), ruleset.MainFile), skill(r)) {
			return dir
		}
	}
	return ""
}

// homeOf says why AGENTS.md does not get a rule: a target that reads AGENTS.md has the rule
// from a file of its own, which the project had before, and would load it twice. It is "" if
// there is no such target.
func (w *renderer) homeOf(agents *Client, r Rule, targets []*Client) string {
	for _, t := range targets {
		switch {
		case t == agents || t.Shared == agentsFile || t.Shared == "CLAUDE.md":
			continue
		case !(&frontmatter.Fields{Targets: r.Targets}).For(t.Name):
			continue
		case r.IsSkill && (!slices.Contains(t.Skills, agents.Skills[0]) || w.homeOfSkill(agents, r) != ""):
			continue
		case !r.IsSkill && !w.takesSection(t, agents, r):
			continue
		}
		if w.isHome(t, r) || len(r.InPlace) > 0 && w.served(t, r) {
			return t.Title + " reads it as well, and has the rule from a file of its own"
		}
	}
	return ""
}

// takesSection reports whether a client loads the file that has a rule as a section for
// another one.
func (w *renderer) takesSection(c, other *Client, r Rule) bool {
	file, _ := w.sectionPath(other, r)
	return w.site.takes(c, file, w.site.Exists)
}

// sectionPath returns the file such as AGENTS.md that has a rule as a section, and whether
// that is the one of the rule's folder. Where it is a link to another such file beside it,
// which clients load by its own name, the section is written there.
func (w *renderer) sectionPath(c *Client, r Rule) (file string, nested bool) {
	if dir := folderOf(r.Globs); r.Activation == Glob && dir != "" && c.Nested && w.isDir(dir) {
		if file = w.behindLink(path.Join(dir, c.Shared)); path.Dir(file) == dir {
			return file, true
		}
	}
	if file = w.behindLink(c.Shared); path.Dir(file) == "." {
		return file, false
	}
	return c.Shared, false
}

// behindLink returns the file that a link such as AGENTS.md leads to, if clients load that
// by its name, else the link.
func (w *renderer) behindLink(file string) string {
	if w.site.Real == nil {
		return file
	}
	if real := w.site.Real(file); slices.Contains(SharedNames(), path.Base(real)) {
		return real
	}
	return file
}

func (w *renderer) addSection(c *Client, r Rule, note *Note) {
	file, nested := w.sectionPath(c, r)
	note.Path = file
	switch r.Activation {
	case Manual:
		*note = Note{Client: c.Name, Rule: r.Name, Outcome: Skipped, Reason: "it has no rules that only a person starts"}
		return
	case Auto:
		note.Outcome, note.Reason = Projected, "it cannot choose a rule by its description: a section that says when it applies"
	case Glob:
		note.Outcome, note.Reason = Projected, "it has no globs: a section that names them"
		if nested {
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
	for path, r := range w.whole {
		lead := r.Own[SharedForm].File.encode(r.Body)
		w.byPath[path] = &File{Path: path, Whole: true, Lead: lead, Content: lead, Parts: []Part{{r.Name, r.Rev}}}
	}
	for path, sections := range w.sections {
		slices.SortFunc(sections, func(a, b Section) int { return w.rank[a.Name] - w.rank[b.Name] })
		file := &File{Path: path, Shared: true, Content: []byte(blockText(sections))}
		for _, s := range sections {
			file.Parts = append(file.Parts, Part{s.Name, w.revs[s.Name]})
		}
		if whole := w.byPath[path]; whole != nil && whole.Whole {
			file.Shared, file.Whole, file.Lead = false, true, whole.Lead
			file.Content = Block{Before: string(whole.Lead)}.Join(string(file.Content))
			file.Parts = append(whole.Parts, file.Parts...)
		}
		w.byPath[path] = file
	}
	readers := map[string][]string{} // by folder and extension, since most files are alike
	for _, path := range sortedKeys(w.byPath) {
		file := w.byPath[path]
		file.Reaches = w.reaches(readers, file)
		w.plan.Files = append(w.plan.Files, *file)
	}
	w.warnTwice(targets)
}

// exists reports whether a file is in the project, or will be.
func (w *renderer) exists(path string) bool { return w.byPath[path] != nil || w.site.Exists(path) }

// reaches returns the names of the clients that load a file.
func (w *renderer) reaches(known map[string][]string, file *File) (names []string) {
	if file.Shared || file.Whole {
		for i := range Clients {
			if c := &Clients[i]; c.Reads(file.Path) && !c.overlooks(file.Path, w.exists) || w.site.takes(c, file.Path, w.exists) {
				names = append(names, c.Name)
			}
		}
		return names
	}
	key := path.Dir(file.Path) + "/*" + path.Ext(file.Path)
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
				if _, attached := AttachmentOf(file.Path); attached {
					continue // the skill is counted once
				}
				at := file.Path
				if w.site.Real != nil {
					if at = w.site.Real(at); at != file.Path && w.byPath[at] != nil {
						continue // nothing is written through the link
					}
				}
				for _, part := range file.Parts {
					if !slices.Contains(files[part.Name], at) {
						files[part.Name] = append(files[part.Name], at)
					}
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
