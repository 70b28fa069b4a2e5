package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A stamp changes when the content of a file does.
type stamp = filestamp.Stamp

// stampOf returns the stamp of a file. The store makes links to files, which change their
// inodes, but not their contents.
func stampOf(info fs.FileInfo) stamp { return filestamp.Of(info).Content() }

// stampOf returns the stamp of the file of a ruleset; ok is false if there is none.
func (f folder) stampOf(name ruleset.Name) (_ stamp, ok bool) {
	info, err := os.Lstat(f.path(name))
	if err != nil {
		return stamp{}, false
	}
	return stampOf(info), true
}

// sumOf returns the SHA-256 of a content.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
