// Package private makes folders for their owner alone: of keys, certificates and the
// audit trail.
package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// IgnoreFile is the name of the file that keeps a folder out of git.
const IgnoreFile = ".gitignore"

// MakeDir makes a folder for its owner alone, with a .gitignore that names everything in
// it: a data folder may be in a work tree, and git add must not offer keys. A
// .gitignore that is there stays. A folder that is there may be read-only, as one that is
// mounted with a key: then it gets none.
func MakeDir(dir string) error {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, IgnoreFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) || err != nil && missing == nil {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}
