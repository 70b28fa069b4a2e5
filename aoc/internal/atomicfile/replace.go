// Package atomicfile replaces files so that readers never see half of one.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace replaces the file at path with data: readers, also after a crash or a
// power cut, find the old content or the new one. A new file gets the permissions
// perm less the umask, an existing file keeps its own. When Replace returns nil,
// content and name are on disk.
func Replace(path string, data []byte, perm fs.FileMode) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+rand.Text())
	err := writeSynced(temp, path, data, perm)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // it may not exist
		return err
	}
	return syncFolder(filepath.Dir(path))
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

// syncFolder puts the names in a folder on disk. Windows does so itself.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
