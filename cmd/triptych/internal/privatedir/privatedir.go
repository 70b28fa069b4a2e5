// Package privatedir makes folders of a data folder that are for its owner alone: of keys
// and secrets.
package privatedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Make makes a folder for its owner alone, with a .gitignore that names everything in it: a
// data folder may be in a work tree, and git add must not offer keys. A .gitignore that is
// there stays.
func Make(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}
