package editors

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Links says which links a client follows from a folder of rules. It follows those to files
// of the project.
type Links struct {
	Folders bool // to folders of the project
	Outside bool // to files out of the project
}

// A link is a rule file that is one, or that is in a folder that is one.
type link struct {
	to     string // the path in the project, "" outside of it
	folder string // the folder that is a link, "" for a file that is one
}

// maxLinked is the number of files that are read behind one link to a folder.
const maxLinked = 1000

// follow adds the rule files behind a link.
func (r *Rulefiles) follow(project fs.FS, file string, names map[string]bool) {
	info, err := fs.Stat(project, file)
	if err != nil {
		return
	}
	to := resolveLink(project, file)
	if !info.IsDir() {
		if mayBeRule(file, names) {
			r.addLinked(project, file, link{to: to})
		}
		return
	}
	if to == "" {
		r.folders = append(r.folders, file)
		return
	}
	left := maxLinked
	_ = fs.WalkDir(project, to, func(at string, d fs.DirEntry, err error) error {
		left--
		name := path.Join(file, strings.TrimPrefix(at, to))
		switch {
		case left < 0:
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir
		case d.Type().IsRegular() && mayBeRule(name, names):
			r.addLinked(project, name, link{to: at, folder: file})
		}
		return nil
	}) // what cannot be read is left out
}

func (r *Rulefiles) addLinked(project fs.FS, file string, l link) {
	if info, err := fs.Stat(project, file); err != nil || !info.Mode().IsRegular() || info.Size() > maxExplained {
		return
	}
	if data, err := fs.ReadFile(project, file); err == nil {
		r.paths, r.content[file], r.links[file] = append(r.paths, file), data, l
	}
}

// resolveLink returns the path in the project that a link leads to, "" if it leaves it.
func resolveLink(project fs.FS, file string) string {
	for range 10 {
		to, err := fs.ReadLink(project, file)
		if err != nil {
			return file // it is no link any more
		}
		if path.IsAbs(to) {
			return ""
		}
		if file = path.Join(path.Dir(file), to); !fs.ValidPath(file) {
			return ""
		}
	}
	return ""
}

// throughLink says of a verdict where the link leads to, and that the client does not follow
// it.
func (c *Client) throughLink(v *Verdict, l link) {
	follows := Links{}
	if c.Links != nil {
		follows = *c.Links
	}
	switch {
	case l.folder != "" && !follows.Folders:
		v.Loaded, v.Reason = false, l.folder+" is a link to a folder, which it does not follow"
		if c.Links == nil {
			v.Reason = l.folder + " is a link to a folder; whether it is followed is not known"
		}
	case l.to == "" && c.Links != nil && !follows.Outside:
		v.Loaded, v.Reason = false, "a link out of the project, which it does not follow"
	case l.to == "":
		v.Reason += "; a link out of the project"
	default:
		v.Reason += "; a link to " + l.to
	}
}

// linkedFolders tells the folders of rules that are links out of the project.
func (e *explainer) linkedFolders() {
	for _, folder := range e.files.folders {
		for _, f := range e.client.folders() {
			if _, _, ok := f.place(folder + "/x" + f.Ext); ok {
				e.add(folder, false, "a link to a folder out of the project, which is not followed")
			}
		}
	}
}

// addOther keeps a file that clients use for something else than rules.
func (r *Rulefiles) addOther(file string) {
	if !strings.Contains("/"+file, "/.") && path.Base(file) != "SKILL.md" {
		return
	}
	switch PlaceOf(file).Use {
	case Command, SkillFile, Subagent, ModeFile:
		r.others = append(r.others, file)
	case RuleFile, SharedFile, Personal, OtherFile:
	}
}

// NoRules says what a client makes of the files in its folders that are no rules: commands,
// skills, agents and files of its modes.
func (c *Client) NoRules(files *Rulefiles) (all []Verdict) {
	for _, file := range files.others {
		p := PlaceOf(file)
		switch {
		case p.Use == SkillFile && !c.Reads(file), p.Use != SkillFile && (p.Client == nil || p.Client.form() != c.form()):
			continue
		case p.Use == SkillFile:
			all = append(all, Verdict{Path: file, Reason: "a skill, which the model loads by its description"})
		case p.Use == Command:
			all = append(all, Verdict{Path: file, Reason: "a command, which a person starts"})
		case p.Use == Subagent:
			all = append(all, Verdict{Path: file, Reason: "an agent of its own, no rule"})
		default:
			all = append(all, Verdict{Path: file, Reason: "for one mode, no rule for all"})
		}
	}
	return all
}

// OfUser returns the files of the user that a client loads in every project. exists reports
// whether there is a file or a folder below the user's home.
func (c *Client) OfUser(exists func(string) bool) (all []Verdict) {
	for _, name := range c.Home {
		if exists(name) {
			all = append(all, Verdict{Path: "~/" + name, Loaded: true, Reason: fmt.Sprintf("of the user, in every project of %s", c.Title)})
		}
	}
	return all
}
