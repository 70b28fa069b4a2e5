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
}

// Match reports whether a glob matches the file at a path, which is relative to the
// root of the project. A leading ./ or / of the glob stands for the root.
func (d Dialect) Match(glob, file string) bool {
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

// MatchAny returns the first of the globs that matches, "" if none does.
func (d Dialect) MatchAny(globs []string, file string) string {
	for _, glob := range globs {
		if d.Match(glob, file) {
			return glob
		}
	}
	return ""
}
