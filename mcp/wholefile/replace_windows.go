package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// replace is what renameio does elsewhere. Permissions are those of the folder,
// as is usual here.
func replace(path string, data []byte, _ fs.FileMode, _ bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
