package rulesets

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// fileArg is a file to set or, without text and blob, to remove. A blob is base64.
type fileArg struct {
	Path string  `json:"path"`
	Text *string `json:"text"`
	Blob *string `json:"blob"`
}

// fileChanges decodes the files of a call.
func fileChanges(args []fileArg) ([]ruleset.FileChange, error) {
	var changes []ruleset.FileChange
	for _, a := range args {
		c := ruleset.FileChange{Path: a.Path}
		if err := ruleset.CheckFilePath(a.Path); err != nil {
			return nil, err
		}
		switch {
		case a.Text != nil && a.Blob != nil:
			return nil, fmt.Errorf("the file '%s' has text and blob; give one", a.Path)
		case a.Text != nil:
			c.Data = []byte(*a.Text)
		case a.Blob != nil:
			data, err := base64.StdEncoding.DecodeString(*a.Blob)
			if err != nil {
				return nil, fmt.Errorf("the blob of the file '%s' is not base64", a.Path)
			}
			c.Data = append([]byte{}, data...) // an empty one is not nil
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// checkFiles returns an error if a ruleset cannot have the files that changes make, and
// the findings in those with text, or a [*lint.RefusedError]. It is called before the
// ruleset is updated, so that a file that is refused leaves all as it was.
func (t *tools) checkFiles(ctx context.Context, name ruleset.Name, p ruleset.Patch, changes []ruleset.FileChange) ([]lint.Finding, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	found, err := t.scan.checkFiles(p.By, name, changes)
	if err != nil {
		return nil, err
	}
	store, ok := ruleset.FilesOf(t.store)
	if !ok {
		return nil, errors.New("this store keeps no files")
	}
	r, err := t.store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	files, err := store.Files(ctx, name)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(files))
	for _, f := range files {
		sizes[f.Path] = f.Size
	}
	return found, ruleset.CheckFiles(name, sizes, changes, int64(len(p.Apply(r, time.Time{}).Markdown)))
}

// changeFiles makes changes to the files of a ruleset, if there are any.
func (t *tools) changeFiles(ctx context.Context, name ruleset.Name, changes []ruleset.FileChange) error {
	if len(changes) == 0 {
		return nil
	}
	store, ok := ruleset.FilesOf(t.store)
	if !ok {
		return errors.New("this store keeps no files")
	}
	return store.ChangeFiles(ctx, name, changes)
}
