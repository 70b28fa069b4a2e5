package editors

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A Dialect is the way in which a client matches globs. The zero Dialect matches the
// path below the root of the project as a whole: * stands for any characters but /,
// ** for any folders, {a,b} for either, and names with a leading dot are like others.
type Dialect struct {
	AnyDepth   bool // a glob without a leading / or **/ matches at any depth
	Base       bool // a glob without / matches the name of the file, in any folder
	IgnoreCase bool
	NoDots     bool // * and ** do not match a name with a leading dot
	NoRoot     bool // a glob with a leading / matches nothing
	// Ignore matches globs as lines of .gitignore, braces besides: one without / matches
	// a file or a folder of that name anywhere, one that matches a folder all in it, and
	// ! takes files out again. /** at the end is left out before. Case does not matter.
	Ignore bool
}

// Match reports whether a glob matches the file at a path, which is relative to the
// root of the project. A leading ./ or / of the glob stands for the root.
func (d Dialect) Match(glob, file string) bool {
	if d.Ignore {
		return ignores([]string{glob}, file) != ""
	}
	if d.NoRoot && strings.HasPrefix(glob, "/") {
		return false
	}
	rooted := strings.HasPrefix(glob, "/") || strings.HasPrefix(glob, "./")
	glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	if glob == "" {
		return false
	}
	if d.IgnoreCase {
		glob, file = strings.ToLower(glob), strings.ToLower(file)
	}
	switch {
	case rooted || strings.HasPrefix(glob, "**/"):
	case d.AnyDepth:
		glob = "**/" + glob
	case d.Base && !strings.Contains(glob, "/"):
		file = path.Base(file)
	}
	if d.NoDots && hidden(file) && !strings.HasPrefix(glob, ".") && !strings.Contains(glob, "/.") {
		return false
	}
	matched, err := doublestar.Match(glob, file)
	return err == nil && matched
}

// hidden reports whether a name on a path has a leading dot.
func hidden(file string) bool {
	return strings.HasPrefix(file, ".") || strings.Contains(file, "/.")
}

// ignores returns the line of a .gitignore with these lines for which git would ignore a
// file, "" if there is none. A file in an ignored folder is ignored, whatever a later
// line says.
func ignores(lines []string, file string) string {
	names := strings.Split(strings.ToLower(file), "/")
	for n := range names {
		ignored := ""
		for _, line := range lines {
			pattern, again := strings.CutPrefix(line, "!")
			if !ignoreMatches(strings.ToLower(pattern), strings.Join(names[:n+1], "/"), n+1 < len(names)) {
				continue
			}
			if ignored = line; again {
				ignored = ""
			}
		}
		if ignored != "" {
			return ignored
		}
	}
	return ""
}

// ignoreMatches reports whether a pattern of a .gitignore matches a file or a folder.
func ignoreMatches(pattern, file string, isFolder bool) bool {
	pattern, onlyFolders := strings.CutSuffix(strings.TrimSuffix(pattern, "/**"), "/")
	if pattern == "" || onlyFolders && !isFolder {
		return false
	}
	if !strings.Contains(pattern, "/") {
		file = path.Base(file)
	}
	matched, err := doublestar.Match(strings.TrimPrefix(pattern, "/"), file)
	return err == nil && matched
}

// MatchAny returns the glob for which a file matches, "" if there is none.
func (d Dialect) MatchAny(globs []string, file string) string {
	if d.Ignore {
		return ignores(globs, file)
	}
	for _, glob := range globs {
		if d.Match(glob, file) {
			return glob
		}
	}
	return ""
}
