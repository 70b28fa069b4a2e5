package filestore

import (
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// historyDir is the folder of the histories, one file NAME.jsonl each.
const historyDir = ".history"

// batchGlob matches the journals of batches.
const batchGlob = ".batch*"

// nameOf returns the name of the ruleset that a file must hold.
func nameOf(file string) (ruleset.Name, bool) {
	base, isMarkdown := strings.CutSuffix(file, suffix)
	name, err := ruleset.ParseName(base)
	return name, isMarkdown && err == nil
}

// nameOfFolder returns the name of the ruleset whose files a folder holds.
func nameOfFolder(folder string) (ruleset.Name, bool) {
	name, err := ruleset.ParseName(strings.ReplaceAll(folder, "-", "_"))
	return name, err == nil && !strings.Contains(folder, "_")
}

// A folder is the folder of a store. It has nothing in memory.
type folder struct{ dir string }

// path returns the file of a ruleset, filesPath the folder of its files.
func (f folder) path(name ruleset.Name) string { return filepath.Join(f.dir, string(name)+suffix) }

func (f folder) filesPath(name ruleset.Name) string { return filepath.Join(f.dir, name.Slug()) }

// mainPath returns the file with the text of a ruleset, which may be in a folder.
func (f folder) mainPath(name ruleset.Name, folder bool) string {
	if folder {
		return filepath.Join(f.filesPath(name), ruleset.MainFile)
	}
	return f.path(name)
}

func (f folder) inDir(file string) string { return filepath.Join(f.dir, file) }

// absolute returns the path as events spell it.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// isTempFile reports whether a name has the form that [os.CreateTemp] gives
// tempName.
func isTempFile(file string) bool {
	matches, err := filepath.Match(tempName, file)
	return err == nil && matches && filepath.IsLocal(file) && !strings.ContainsAny(file, `/\:`)
}
