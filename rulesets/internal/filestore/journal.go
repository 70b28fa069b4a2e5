package filestore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// read reads the journal of a killed process. The error is
// [fs.ErrNotExist] if there is none. The folder may be untrusted, so a journal
// that names anything but files of the store is rejected.
func (b *batches) read(name string) (*journal, error) {
	data, err := os.ReadFile(b.folder.inDir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, unavailable(err)
	}
	j := &journal{}
	if err = json.Unmarshal(data, j); err == nil {
		err = b.check(j)
	}
	if err != nil {
		return nil, unavailable(fmt.Errorf("the journal %s is refused, since this program does not write such: %w; find out who wrote it, then remove the file %s: until then nothing is changed", name, err, name))
	}
	return j, nil
}

// check returns an error unless everything that a journal names is in the
// folder.
func (b *batches) check(j *journal) error {
	for _, end := range j.Ends {
		if end.End < 0 || !isHistoryFile(end.File) {
			return fmt.Errorf("%.80q from %d is no part of a history", end.File, end.End)
		}
		for _, path := range []string{historyDir, filepath.Join(historyDir, end.File)} {
			if info, err := os.Lstat(b.folder.inDir(path)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return fmt.Errorf("%s is a link", path)
			}
		}
	}
	for _, c := range j.Files {
		if _, err := ruleset.ParseName(string(c.Name)); err != nil {
			return err
		}
		if c.Temp != "" && !isTempFile(c.Temp) {
			return fmt.Errorf("%.80q is no hidden file of the store", c.Temp)
		}
	}
	for _, c := range j.Parts {
		if err := c.check(); err != nil {
			return err
		}
	}
	for _, m := range j.Moves {
		nameErr := checkLogName(m.Name)
		_, labelErr := ruleset.ParseLabel(string(m.Label))
		if err := errors.Join(nameErr, labelErr); err != nil {
			return err
		}
	}
	return nil
}

// isHistoryFile reports whether a file has the name of a history or of the moves
// of labels.
func isHistoryFile(file string) bool {
	base, ok := strings.CutSuffix(file, historySuffix)
	return ok && checkLogName(ruleset.Name(strings.TrimSuffix(base, labelsMark))) == nil && filepath.IsLocal(file)
}

// checkLogName returns an error for a name that has no history and no moves of labels.
func checkLogName(name ruleset.Name) error {
	if name == ruleset.ProposalLog {
		return nil
	}
	_, err := ruleset.ParseName(string(name))
	return err
}
