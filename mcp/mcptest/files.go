package mcptest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// writeFiles writes files below a folder.
func writeFiles(dir string, files []txtar.File) error {
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

// compare reports how the files below a folder differ from the expected ones. As
// in <~, text in backquotes is a regular expression. Newlines at the end of a file
// are ignored: an archive cannot express a missing one.
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
			errs = append(errs, fmt.Errorf("%s at the end:\n%s\nwant:\n%s", f.Name, text, f.Data))
		}
	}
	return errors.Join(errs...)
}
