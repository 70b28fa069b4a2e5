// Package rulefiles reads and writes rulesets as files of people and editors:
// Markdown with YAML front matter.
//
//	found, err := rulefiles.Find(args)
//	for _, path := range found.Files {
//		text, err := os.ReadFile(path)
//		draft, notes, err := rulefiles.Draft(path, string(text))
//		...
//	}
//
// Reading is lenient, since editors write front matter that is not YAML, such as
// Cursor's unquoted globs. Keys that are not ours are kept in [ruleset.Draft.Extra].
package rulefiles
