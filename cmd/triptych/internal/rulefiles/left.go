package rulefiles

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Left is a file or a folder that was not read.
type Left struct{ Path, Reason string }

const (
	notRules = "no rules"
	byName   = "; it is imported if it or its folder is named"
)

// uses reports whether a client reads a rule file in the root of a folder.
func (s *search) uses(root string) bool {
	used := false
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, name)
		switch {
		case err != nil || relErr != nil:
			return fs.SkipDir
		case rel == ".":
			return nil
		case d.IsDir():
			if first, _, below := strings.Cut(filepath.ToSlash(rel), "/"); !below && !editors.KnowsFolder(first) {
				return fs.SkipDir // what is in the root alone decides
			}
			return nil
		}
		switch p := editors.PlaceOf(filepath.ToSlash(rel)); p.Use {
		case editors.RuleFile, editors.SharedFile, editors.Command:
			used = used || p.Base == "."
		}
		if used {
			return fs.SkipAll
		}
		return nil
	})
	return used && err == nil
}

// reasonFolder says why a folder is not searched, "" if it is.
func (s *search) reasonFolder(name string) string {
	base := filepath.Base(name)
	switch {
	case base == "node_modules":
		return "packages of others"
	case s.isHome(name):
		return "personal: of the user, not of a project"
	case s.isIgnored(name, true):
		return "git ignores it"
	case strings.HasPrefix(base, ".") && !editors.KnowsFolder(base):
		return "a hidden folder of no known editor"
	}
	return ""
}

// reasonFile says why a file is not read, "" if it is.
func (s *search) reasonFile(name string) string {
	base := filepath.Base(name)
	p := File{Path: name, Rel: s.rel(name)}.place()
	ext := strings.ToLower(filepath.Ext(base))
	isText := ext == ".md" || ext == ".mdc"
	switch p.Use {
	case editors.Personal:
		return "personal: of one person, not of a team"
	case editors.Subagent:
		return "an agent of " + p.Reader + ", not a rule"
	case editors.ModeFile:
		return "for one mode of " + p.Reader + ", not a rule for all"
	case editors.OtherFile:
		if client, ext := editors.ReadIn(filepath.ToSlash(cmp.Or(s.rel(name), name))); ext != "" {
			return client + " reads files there that end in " + ext
		}
		return "no rule, command or skill of a client"
	case editors.RuleFile, editors.SharedFile, editors.Command, editors.SkillFile:
		if s.isIgnored(name, false) {
			return "git ignores it"
		}
		return cmp.Or(emptiness(name), s.elsewhere(name))
	}
	switch {
	case isText && s.isIgnored(name, false):
		return "git ignores it"
	case isText && strings.HasPrefix(base, "."):
		return "a hidden file"
	case isText && forPeople[strings.ToUpper(strings.TrimSuffix(base, filepath.Ext(base)))]:
		return "a document for people"
	case isText && s.isProject && !wasExported(name):
		return "no client reads it here" + byName
	case isText:
		return ""
	}
	return notRules
}

// emptiness says why a file has nothing to import, "" if it has a text.
func emptiness(name string) string {
	info, err := os.Stat(name)
	if err != nil || info.Size() > maxHead {
		return ""
	}
	text, err := os.ReadFile(name)
	switch rest, isBlock := editors.OutsideOfBlock(text); {
	case err != nil || strings.TrimSpace(strings.TrimPrefix(rest, "\ufeff")) != "":
		return ""
	case isBlock:
		return "it has only what pull wrote into it"
	}
	return "it is empty"
}

// elsewhere says where a client reads the files of a project that have such a name, if it is
// not where this one is.
func (s *search) elsewhere(name string) string {
	if s.isUsed && filepath.Base(name) == ruleset.MainFile && !editors.InSkills(s.rel(name)) {
		return "no client reads skills here" + byName
	}
	dir := dirOfName(name)
	if !s.isUsed || dir == "" || strings.Contains("/"+filepath.ToSlash(name), "/"+dir+"/") {
		return ""
	}
	return editors.PlaceOf(dir+"/"+filepath.Base(name)).Reader + " reads such files in " + dir + " only" + byName
}

// wasExported reports whether a file begins with the front matter that export writes.
func wasExported(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head, err := io.ReadAll(io.LimitReader(f, maxHead))
	return err == nil && isExported(string(head))
}

// maxHead is the part of a file in which its front matter ends, in bytes.
const maxHead = 64 << 10

// forPeople are the names of documents that repositories have and no client reads.
var forPeople = map[string]bool{
	"README": true, "CHANGELOG": true, "CONTRIBUTING": true, "CODE_OF_CONDUCT": true, "SECURITY": true, "LICENSE": true, "SUPPORT": true, "AUTHORS": true, "NOTICE": true,
}

// isHome reports whether a folder is one of the user's, with rules for all projects.
func (s *search) isHome(name string) bool {
	abs, err := filepath.Abs(name)
	return err == nil && s.home != "" && filepath.Dir(abs) == filepath.Clean(s.home) && editors.KnowsFolder(filepath.Base(abs))
}

// maxNamed is the number of other files that are named one by one.
const maxNamed = 20

// summarizeUnread lists the Markdown that no client reads; where there is much, by folder.
func (s *search) summarizeUnread() {
	if len(s.unread) <= maxNamed {
		s.found.Left = append(s.found.Left, s.unread...)
		return
	}
	type group struct{ dir, reason string }
	groups := map[group][]Left{}
	for _, l := range s.unread {
		g := group{filepath.Dir(l.Path), l.Reason}
		groups[g] = append(groups[g], l)
	}
	for g, files := range groups {
		if len(files) == 1 {
			s.found.Left = append(s.found.Left, files[0])
			continue
		}
		s.left(fmt.Sprintf("%s (%d files)", g.dir, len(files)), g.reason)
	}
}

// summarizeOthers lists the files that are no rules; where there are many, by kind.
func (s *search) summarizeOthers() {
	if len(s.others) <= maxNamed {
		for _, name := range s.others {
			s.left(name, "neither Markdown nor a rule file of a client")
		}
		return
	}
	kinds := map[string]int{}
	for _, name := range s.others {
		kinds[cmp.Or(filepath.Ext(name), "no extension")]++
	}
	for kind, n := range kinds {
		s.left(fmt.Sprintf("%d files (%s)", n, kind), "neither Markdown nor rule files of a client")
	}
}
