package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Write replaces the file by data. One that is new gets the permissions, less
// those that the umask takes away; one that there was keeps its own.
func Write(path string, data []byte, perm fs.FileMode) error { return write(path, data, perm, false) }

// WriteExactly is Write with permissions that no umask changes.
func WriteExactly(path string, data []byte, perm fs.FileMode) error {
	return write(path, data, perm, true)
}

func write(path string, data []byte, perm fs.FileMode, exactly bool) error {
	if err := replace(path, data, perm, exactly); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir puts the names in a folder on disk. Windows does that itself, and lets
// nobody ask for it.
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
