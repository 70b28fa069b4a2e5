package rulefiles

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Found is the outcome of a search.
type Found struct {
	Files []string
	Left  []Left // hidden and foreign folders, and files of an editor's that are no rules
	Other int    // files that are not Markdown
}

// Left is a file or a folder that was not searched.
type Left struct{ Path, Reason string }

// olderFolders are hidden folders with rules of editors that the table of clients does
// not have.
var olderFolders = []string{".amazonq", ".codex", ".continue", ".qoder", ".roo", ".rulesync", ".trae"}

// editorFolders are the hidden folders that editors and their agents read rules
// from.
var editorFolders = append(editors.FolderNames(), olderFolders...)

// ruleNames are rules files without an extension.
var ruleNames = []string{".clinerules", ".cursorrules", ".goosehints", ".roorules", ".windsurfrules"}

// copilotNames are the rules in .github; the rest there is for people.
var copilotNames = []string{"copilot-instructions.md", "instructions", "prompts", "agents", "chatmodes", "rules", "skills"}

// Find returns the named files and the rules files of the named folders: *.md,
// *.mdc, .cursorrules and the like, those in the hidden folders of editors too. Of a
// folder with a SKILL.md it returns that file only, see [Attachments].
func Find(paths []string) (Found, error) {
	var found Found
	for _, root := range paths {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err // d may be nil
			}
			switch {
			case path == root && d.IsDir() && isSkill(path):
				found.Files = append(found.Files, filepath.Join(path, ruleset.MainFile))
				return fs.SkipDir
			case path == root && !d.IsDir():
				found.Files = append(found.Files, path)
				return nil
			case path == root:
				return nil
			}
			return found.visit(path, d)
		})
		if err != nil {
			return Found{}, err
		}
	}
	return found, nil
}

// visit decides on a file or folder below a named one.
func (f *Found) visit(path string, d fs.DirEntry) error {
	reason := reasonToLeave(path, d)
	switch {
	case d.Name() == ".git":
		if d.IsDir() {
			return fs.SkipDir
		}
	case reason != "":
		f.Left = append(f.Left, Left{path, reason})
		if d.IsDir() {
			return fs.SkipDir
		}
	case d.IsDir() && isSkill(path):
		f.Files = append(f.Files, filepath.Join(path, ruleset.MainFile))
		return fs.SkipDir
	case d.IsDir():
	case isRules(d.Name()):
		f.Files = append(f.Files, path)
	default:
		f.Other++
	}
	return nil
}

// reasonToLeave says why a folder or a rules file is not read, "" if it is.
func reasonToLeave(path string, d fs.DirEntry) string {
	name := d.Name()
	inGitHub := filepath.Base(filepath.Dir(path)) == ".github"
	switch {
	case d.IsDir() && name == "node_modules":
		return "packages of others"
	case inGitHub && !slices.Contains(copilotNames, name) && (d.IsDir() || isRules(name)):
		return "not rules for an editor"
	case d.IsDir() && strings.HasPrefix(name, ".") && !slices.Contains(editorFolders, name):
		return "a hidden folder of no known editor"
	case !d.IsDir() && strings.HasPrefix(name, ".") && isRules(name) && !slices.Contains(ruleNames, name):
		return "a hidden file"
	}
	return ""
}

// isRules reports whether a file may be rules, by its name.
func isRules(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".md" || ext == ".mdc" || slices.Contains(ruleNames, name)
}
