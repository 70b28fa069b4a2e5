package mcptest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// afterwards marks the sections that say how a file must be in the end.
const afterwards = "after/"

// lay writes files below a folder.
func lay(dir string, files []txtar.File) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compare tells how the files below a folder differ from what they must be.
// As in <~, what stands in backquotes is a regular expression. White space at
// the end of a file does not count: an archive cannot say whether the last
// line has an end.
func compare(dir string, files []txtar.File) error {
	var errs []error
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Name)))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		pattern, err := compile(strings.TrimRight(string(f.Data), "\n"), nil)
		if err != nil {
			return err
		}
		if text := strings.TrimRight(string(got), "\n"); !pattern.MatchString(text) {
			errs = append(errs, fmt.Errorf("%s in the end:\n%s\nwant:\n%s", f.Name, text, f.Data))
		}
	}
	return errors.Join(errs...)
}
