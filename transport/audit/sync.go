package audit

import (
	"errors"
	"os"
	"runtime"
)

// syncDir puts the names of a folder on disk.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // it cannot, and need not
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
