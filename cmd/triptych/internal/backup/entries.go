package backup

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/privatedir"
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

// privateFolders are the folders that git must not offer.
var privateFolders = []string{"tls", "audit", personalFolder + "/*"}

// privateFolder returns the private folder that a file of the data folder is in, "" for none.
func privateFolder(file string) string {
	parts := strings.Split(file, "/")
	for _, pattern := range privateFolders {
		depth := strings.Count(pattern, "/") + 1
		folder := path.Join(parts[:min(depth, len(parts)-1)]...)
		if ok, err := path.Match(pattern, folder); err == nil && ok {
			return folder
		}
	}
	return ""
}

// makeFolder makes the folder of a file of the data folder. A private one gets its .gitignore,
// which a backup does not have.
func makeFolder(data, file string) error {
	if folder := privateFolder(file); folder != "" {
		if err := privatedir.Make(filepath.Join(data, filepath.FromSlash(folder))); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Dir(filepath.Join(data, filepath.FromSlash(file))), 0o700)
}

// modeOf returns the mode of a file of the data folder. That of an archive does not matter:
// who has made the archive does not choose who can read the keys in it.
func modeOf(file string) fs.FileMode {
	if strings.HasPrefix(file, "aoc/") && !strings.HasPrefix(file, personalFolder+"/") {
		return 0o644 // puzzles and speeds
	}
	return 0o600
}
