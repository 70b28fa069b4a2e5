package rulefiles

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/project"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A File is a file that rulesets are made of.
type File struct {
	Path string // as it was found
	// Rel is the path in the project, with /; "" for a file that is in no project, which
	// counts as one in the root.
	Rel string
}

// place returns what clients make of the file.
func (f File) place() editors.Place {
	if f.Rel != "" {
		return named(f.Rel, editors.PlaceOf(f.Rel))
	}
	abs, err := filepath.Abs(f.Path)
	if err != nil {
		abs = f.Path
	}
	file := strings.TrimPrefix(filepath.ToSlash(abs), "/")
	p := named(file, editors.PlaceOf(file))
	p.Base = "."
	return p
}

// named returns the place of a file outside of the places of clients that has a name as
// only one client gives it.
func named(file string, p editors.Place) editors.Place {
	if p.Use != "" && p.Use != editors.OtherFile && p.Use != editors.Personal {
		return p
	}
	if dir := dirOfName(file); dir != "" {
		return editors.PlaceOf(dir + "/" + path.Base(file))
	}
	return p
}

// dirOfName returns the folder in which a client reads files of such a name, "" if the name
// does not say it.
func dirOfName(file string) string {
	for _, known := range []struct{ ext, dir string }{
		{".mdc", ".cursor/rules"}, {".instructions.md", ".github/instructions"}, {".prompt.md", ".github/prompts"},
	} {
		if strings.HasSuffix(file, known.ext) {
			return known.dir
		}
	}
	return ""
}

// Became says what the file becomes, "" for a rule for all files.
func (f File) Became() string {
	p := f.place()
	switch {
	case p.Use == editors.Command:
		return "a prompt"
	case p.Use == editors.SkillFile:
		return "a skill"
	case p.Use == editors.RuleFile || p.Use == editors.SharedFile:
		if p.Base != "." {
			return "for " + p.Base + "/**"
		}
	}
	return ""
}

// Found is the outcome of a search.
type Found struct {
	Files []File
	Left  []Left
}

// Find returns the named files, and of the named folders the files that rulesets are
// made of: Markdown, and what clients read in their folders. Of a folder with a SKILL.md
// it returns that file only, see [Attachments]. home is the user's folder, or "".
//
// Links to one file are one file. Files of one person, files that git ignores and files
// that are no rules are left, unless they are named. In a project, which git knows or which
// has rule files of a client, that is Markdown outside of the places that clients read: in
// a folder that is merely called rules, no client loads it.
func Find(paths []string, home string) (Found, error) {
	s := &search{home: home, byReal: map[string]int{}, ignored: map[string][]ignoreLine{}}
	for _, root := range paths {
		info, err := os.Stat(root)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Found{}, fmt.Errorf("%s does not exist", root)
		case err != nil:
			return Found{}, err
		case !info.IsDir():
			s.root = rootOf(root, true)
			s.add(root)
			continue
		}
		s.root = rootOf(root, false)
		if err := s.walk(root); err != nil {
			return Found{}, err
		}
	}
	s.summarizeUnread()
	s.summarizeOthers()
	slices.SortStableFunc(s.found.Left, func(a, b Left) int { return cmp.Compare(a.Path, b.Path) })
	return s.found, nil
}

// rootOf returns the project of a named file or folder, as an absolute path: the nearest
// folder at or above it that git or triptych knows, else the folder itself. For a file
// it is the working directory if that has the file, else "".
func rootOf(name string, isFile bool) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	folder := abs
	if isFile {
		folder = filepath.Dir(abs)
	}
	for at := folder; ; at = filepath.Dir(at) {
		if marked(at) {
			return at
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	if !isFile {
		return abs
	}
	here, err := os.Getwd()
	if rel, relErr := filepath.Rel(here, abs); err == nil && relErr == nil && filepath.IsLocal(rel) {
		return here
	}
	return ""
}

// marked reports whether a folder is one that git or triptych knows as a project.
func marked(dir string) bool {
	for _, mark := range []string{".git", project.SelectionFile, project.LockFile} {
		if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}

// A search is one run of [Find].
type search struct {
	found   Found
	home    string
	root    string         // the project of the named path
	byReal  map[string]int // the indexes of files by their real paths
	others  []string       // files that no client and no person reads as rules
	unread  []Left         // Markdown in a project that no client reads
	ignored map[string][]ignoreLine

	isProject bool // the named folder is the root of a project
	isUsed    bool // a client reads rule files of the named folder
}

// rel returns a path from the project, with /, "" if it is in none.
func (s *search) rel(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil || s.root == "" {
		return ""
	}
	rel, err := filepath.Rel(s.root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// add adds a file, once for all links to it.
func (s *search) add(name string) {
	f := File{Path: name, Rel: s.rel(name)}
	resolved, err := filepath.EvalSymlinks(name)
	if err != nil {
		s.left(name, "a link to nothing")
		return
	}
	real, err := filepath.Abs(resolved)
	if err != nil {
		real = resolved
	}
	i, known := s.byReal[real]
	if !known {
		s.byReal[real] = len(s.found.Files)
		s.found.Files = append(s.found.Files, f)
		return
	}
	if first := s.found.Files[i]; better(f, first) {
		s.found.Files[i], f = f, first
	}
	s.left(f.Path, "the same file as "+s.found.Files[i].Path)
}

// better reports whether a client reads a link at a where none reads the file at b.
func better(a, b File) bool {
	return a.place().Use == editors.SharedFile && b.place().Use != editors.SharedFile
}

func (s *search) left(name, reason string) { s.found.Left = append(s.found.Left, Left{name, reason}) }

// walk searches a folder. What cannot be read is left.
func (s *search) walk(root string) error {
	if isSkill(root) {
		s.add(filepath.Join(root, ruleset.MainFile))
		return nil
	}
	abs, err := filepath.Abs(root)
	s.isUsed = s.uses(root)
	s.isProject = s.isUsed || err == nil && abs == s.root && marked(abs)
	var links []string // behind the files that they are links to
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == root:
			return err
		case err != nil:
			s.left(name, "it cannot be read")
			return fs.SkipDir
		case name == root:
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			links = append(links, name)
			return nil
		}
		return s.visit(name, d)
	})
	for _, name := range links {
		s.link(name, root)
	}
	return err
}

// link decides on a link below a folder.
func (s *search) link(name, root string) {
	info, err := os.Stat(name)
	if err != nil {
		s.left(name, "a link to nothing")
		return
	}
	real, err := filepath.EvalSymlinks(name)
	top, topErr := filepath.EvalSymlinks(cmp.Or(s.root, root))
	inside := err == nil && topErr == nil
	if inside {
		abs, _ := filepath.Abs(real)
		absTop, _ := filepath.Abs(top)
		rel, relErr := filepath.Rel(absTop, abs)
		inside = relErr == nil && filepath.IsLocal(rel)
	}
	switch {
	case !inside:
		s.left(name, "a link out of the project")
	case info.IsDir():
		s.left(name, "a link to the folder "+real)
	case s.reasonFile(name) != "":
		s.left(name, s.reasonFile(name))
	default:
		s.add(name)
	}
}

// visit decides on a file or folder below a named one.
func (s *search) visit(name string, d fs.DirEntry) error {
	if d.Name() == ".git" {
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if d.IsDir() {
		reason := s.reasonFolder(name)
		switch {
		case reason != "":
			s.left(name, reason)
			return fs.SkipDir
		case isSkill(name):
			if reason := s.reasonFile(filepath.Join(name, ruleset.MainFile)); reason != "" {
				s.left(name, reason)
			} else {
				s.add(filepath.Join(name, ruleset.MainFile))
			}
			return fs.SkipDir
		}
		return nil
	}
	switch reason := s.reasonFile(name); {
	case reason == "":
		s.add(name)
	case reason == notRules:
		s.others = append(s.others, name)
	case strings.HasSuffix(reason, byName):
		s.unread = append(s.unread, Left{name, reason})
	default:
		s.left(name, reason)
	}
	return nil
}
