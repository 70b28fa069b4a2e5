package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write replaces the file at path with data. A new file gets the permissions perm less
// the umask, an existing file keeps its own. When Write returns nil, content and name
// are on disk.
func Write(path string, data []byte, perm fs.FileMode) error {
	if err := replace(path, data, perm, (*os.File).Sync); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// WriteUnsynced is like Write, but syncs nothing: a power cut may leave a damaged file.
// It is for what can be recognized as damaged and made again.
func WriteUnsynced(path string, data []byte, perm fs.FileMode) error {
	return replace(path, data, perm, func(*os.File) error { return nil })
}

// replace writes data beside the file at path, with the permissions of that file if
// there is one, and gives it that name.
func replace(path string, data []byte, perm fs.FileMode, sync func(*os.File) error) error {
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil {
		_ = f.Chmod(info.Mode().Perm()) // where it fails, perm holds
	}
	_, err = f.Write(data)
	if err = errors.Join(err, sync(f), f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // it is of no use
	}
	return err
}

// SyncDir puts the names in a folder on disk. Windows does so itself and has no
// call for it.
func SyncDir(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
