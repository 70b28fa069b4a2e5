// Package atomicfile replaces files so that readers find the old content or the new
// one and never a part of either, also after a crash.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file at path with data. A new file gets the permissions perm
// less the umask, an existing file keeps its own. The content is on disk before it
// gets the name; after a power cut the file may have its old content.
func Write(path string, data []byte, perm fs.FileMode) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+rand.Text())
	err := writeSynced(temp, path, data, perm)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // it may not exist
	}
	return err
}

// writeSynced writes the new file temp, with the permissions of the file at path if
// there is one, and syncs it.
func writeSynced(temp, path string, data []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil {
		_ = f.Chmod(info.Mode().Perm()) // where it fails, perm holds
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}
