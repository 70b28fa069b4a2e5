package skillcmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// recordFile has the digests of the files as they were installed, so that a file of an
// older version is told from one that was changed by hand.
const recordFile = ".triptych.json"

// An action is done to a file.
type action string

// The actions.
const (
	create action = "create"
	update action = "update"
	remove action = "remove"
	keep   action = "unchanged"
	refuse action = "changed by hand, left as it is"
)

// A change is an action on one file of a folder.
type change struct {
	name   string // below the folder, with slashes
	action action
	data   []byte // to write
}

// A folder is a folder of an editor, in which a skill has a folder of its own.
type folder struct {
	dir   string // of the skill
	files map[string][]byte
}

// newFolder returns the folder for a skill of a file system in a folder of skills.
func newFolder(shipped fs.FS, name, skills string) (*folder, error) {
	f := &folder{dir: filepath.Join(skills, name), files: map[string][]byte{}}
	err := fs.WalkDir(shipped, name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(shipped, p)
		f.files[p[len(name)+1:]] = data
		return err
	})
	return f, err
}

// record returns the digests of what was installed, by file.
func (f *folder) record() (installed map[string]string, err error) {
	data, err := os.ReadFile(filepath.Join(f.dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &installed)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(f.dir, recordFile), err)
	}
	return installed, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// current returns a file of the folder. What is no regular file counts as changed.
func (f *folder) current(name string) (data []byte, exists bool, err error) {
	file := filepath.Join(f.dir, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !info.Mode().IsRegular():
		return nil, true, nil
	}
	data, err = os.ReadFile(file)
	return data, true, err
}

// installation returns the changes that install the skill. With force, files that were
// changed are overwritten.
func (f *folder) installation(force bool) ([]change, error) {
	installed, err := f.record()
	if err != nil && !force {
		return nil, err
	}
	var all []change
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		now, exists, err := f.current(name)
		if err != nil {
			return nil, err
		}
		c := change{name: name, action: refuse, data: f.files[name]}
		switch {
		case !exists:
			c.action = create
		case bytes.Equal(now, c.data):
			c.action = keep
		case force, installed[name] == digest(now):
			c.action = update
		}
		all = append(all, c)
	}
	return append(all, f.removals(installed, func(name string) bool { return f.files[name] != nil }, force)...), nil
}

// uninstallation returns the changes that remove the skill.
func (f *folder) uninstallation(force bool) ([]change, error) {
	installed, err := f.record()
	if err != nil && !force {
		return nil, err
	}
	if installed == nil {
		installed = map[string]string{}
	}
	for name, data := range f.files {
		if installed[name] == "" {
			installed[name] = digest(data)
		}
	}
	return f.removals(installed, func(string) bool { return false }, force), nil
}

// removals returns the removals of files that were installed, but for those to retain.
func (f *folder) removals(installed map[string]string, retain func(string) bool, force bool) (all []change) {
	for _, name := range slices.Sorted(maps.Keys(installed)) {
		if retain(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		now, exists, err := f.current(name)
		switch {
		case err != nil || !exists:
		case force || installed[name] == digest(now):
			all = append(all, change{name: name, action: remove})
		default:
			all = append(all, change{name: name, action: refuse})
		}
	}
	return all
}

// apply makes changes, and records what is installed then.
func (f *folder) apply(changes []change) error {
	installed, err := f.record()
	if err != nil || installed == nil {
		installed = map[string]string{}
	}
	for _, c := range changes {
		file := filepath.Join(f.dir, filepath.FromSlash(c.name))
		switch c.action {
		case create, update:
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := atomicfile.Write(file, c.data, 0o644); err != nil {
				return err
			}
			installed[c.name] = digest(c.data)
		case keep:
			installed[c.name] = digest(c.data)
		case remove:
			if err := os.Remove(file); err != nil {
				return err
			}
			delete(installed, c.name)
			if dir := filepath.Dir(file); dir != f.dir {
				_ = os.Remove(dir) // unless something is left in it
			}
		}
	}
	return f.setRecord(installed)
}

// setRecord writes the record. If nothing is installed any more, it removes the record
// and the folder, if that is empty.
func (f *folder) setRecord(installed map[string]string) error {
	file := filepath.Join(f.dir, recordFile)
	if len(installed) > 0 {
		data, err := json.MarshalIndent(installed, "", "  ")
		if err != nil {
			return err
		}
		return atomicfile.Write(file, append(data, '\n'), 0o644)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(f.dir) // unless something is left in it
	return nil
}
