//go:build !windows

package wholefile

import (
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

func replace(path string, data []byte, perm fs.FileMode, exactly bool) error {
	options := []renameio.Option{renameio.WithTempDir(filepath.Dir(path))} // or it looks for another folder by writing
	if exactly {
		options = append(options, renameio.IgnoreUmask())
	}
	return renameio.WriteFile(path, data, perm, options...)
}
