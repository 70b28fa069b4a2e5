package backup

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// isEntry reports whether a backup may have an entry of a name: one of a part of the data, and
// in the folder data only what is kept of it. Everything else is not written by Write, and
// does not get into a data folder.
func isEntry(name string) bool {
	if slices.Contains([]string{manifestName, keysEntry, countsEntry, consumersEntry}, name) {
		return true
	}
	if path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") {
		return false
	}
	folder, rest, _ := strings.Cut(name, "/")
	switch folder {
	case "rulesets":
		return strings.HasSuffix(rest, ".json") && !strings.Contains(rest, "/")
	case "skills":
		return strings.Contains(rest, "/")
	case "audit":
		return !strings.Contains(rest, "/") && (strings.HasSuffix(rest, ".jsonl") || strings.HasSuffix(rest, ".head"))
	case "data":
		return isKept(rest)
	}
	return false
}

// isKept reports whether a backup has a file of the data folder.
func isKept(file string) bool {
	if isCookie(file) || slices.ContainsFunc(strings.Split(file, "/"), isTemporary) {
		return false
	}
	return slices.ContainsFunc(keptFiles, func(kept string) bool { return file == kept || strings.HasPrefix(file, kept+"/") })
}

// modeOf returns the mode of a file of the data folder. That of an archive does not matter:
// who has made the archive does not choose who can read the keys in it.
func modeOf(file string) fs.FileMode {
	if strings.HasPrefix(file, "aoc/") && !strings.HasPrefix(file, personalFolder+"/") {
		return 0o644 // puzzles and speeds
	}
	return 0o600
}
