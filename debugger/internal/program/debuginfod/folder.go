package debuginfod

import (
	"os"
	"path/filepath"
	"slices"
)

// trim removes the oldest files of a folder until those left have a size, but not the
// file to keep.
func trim(folder string, size int64, keep string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var files []os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			size -= info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		path := filepath.Join(folder, info.Name())
		if size >= 0 || path == keep {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		size += info.Size()
	}
	return nil
}
