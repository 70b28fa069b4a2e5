package rulesets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A FileArg is a file to set or, without text and blob, to remove. A blob is base64.
type FileArg struct {
	Path string  `json:"path"`
	Text *string `json:"text,omitempty"`
	Blob *string `json:"blob,omitempty"`
}

// FileArgOf returns the argument that makes a change of a file.
func FileArgOf(c ruleset.FileChange) FileArg {
	a := FileArg{Path: c.Path}
	switch {
	case c.Data == nil:
	case utf8.Valid(c.Data):
		a.Text = new(string(c.Data))
	default:
		a.Blob = new(base64.StdEncoding.EncodeToString(c.Data))
	}
	return a
}

// parseFiles decodes files whose members the schema of the call leaves out: they would cost
// every session tokens, and few sessions write files.
func parseFiles(raw []json.RawMessage) ([]ruleset.FileChange, error) {
	args := make([]FileArg, len(raw))
	for i := range raw {
		if err := decodeStrictly(raw[i], &args[i]); err != nil {
			return nil, fmt.Errorf("file %d: %w", i+1, err)
		}
	}
	return fileChanges(args)
}

// fileChanges decodes the files of a call.
func fileChanges(args []FileArg) ([]ruleset.FileChange, error) {
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
			c.Data = append([]byte{}, data...) // not nil if empty
		}
		changes = append(changes, c)
	}
	return changes, nil
}
