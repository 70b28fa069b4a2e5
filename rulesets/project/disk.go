package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
)

// A LinkError reports a link where a file or a folder of rules should be.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return e.Path + " is a symbolic link, which is not followed"
}

// disk is the folder of a project. Paths are relative to it, with /. No method leaves
// it or follows a link below it. Any number of goroutines may read.
type disk struct {
	root *os.Root

	mu   sync.Mutex
	dirs map[string]*os.Root // open folders; nil for those that do not exist
}

func openDisk(dir string) (*disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &disk{root: root, dirs: map[string]*os.Root{".": root}}, nil
}

func (d *disk) close() {
	for _, dir := range d.dirs {
		if dir != nil {
			_ = dir.Close() // it was only read
		}
	}
}

// dir returns an open folder, nil if it does not exist.
func (d *disk) dir(name string) (*os.Root, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dirLocked(name)
}

func (d *disk) dirLocked(name string) (*os.Root, error) {
	if dir, known := d.dirs[name]; known {
		return dir, nil
	}
	parent, err := d.dirLocked(path.Dir(name))
	if err != nil || parent == nil {
		return nil, err
	}
	info, err := parent.Lstat(path.Base(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.dirs[name] = nil
		return nil, nil
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &LinkError{name}
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a folder", name)
	}
	dir, err := parent.OpenRoot(path.Base(name))
	if err == nil {
		d.dirs[name] = dir
	}
	return dir, err
}

// isDir reports whether a folder exists.
func (d *disk) isDir(name string) bool {
	dir, err := d.dir(path.Clean(name))
	return err == nil && dir != nil
}

// maxFile is the longest file that is read.
const maxFile = 64 << 20

// read returns the content of a file; exists is false if there is none.
func (d *disk) read(name string) (data []byte, exists bool, err error) {
	dir, err := d.dir(path.Dir(name))
	if err != nil || dir == nil {
		return nil, false, err
	}
	base := path.Base(name)
	info, err := dir.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, true, &LinkError{name}
	case !info.Mode().IsRegular():
		return nil, true, fmt.Errorf("%s is not a file", name)
	case info.Size() > maxFile:
		return nil, true, fmt.Errorf("%s has %d bytes; at most %d are read", name, info.Size(), maxFile)
	}
	f, err := dir.Open(base)
	if err != nil {
		return nil, true, err
	}
	data = make([]byte, info.Size())
	if _, err = io.ReadFull(f, data); err == nil {
		_, err = f.Read(make([]byte, 1))
		if err == nil {
			err = fmt.Errorf("%s grows while it is read", name)
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	return data, true, errors.Join(err, f.Close())
}

// tempOf returns the name of the file that replaces another one.
func tempOf(name string) string { return "." + path.Base(name) + ".triptych-new" }

// write replaces a file, or makes it with its folders. An existing file keeps its
// mode.
func (d *disk) write(name string, data []byte) error {
	dir, err := d.makeDir(path.Dir(name))
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if bytes.HasPrefix(data, []byte("#!")) {
		mode = 0o755 // a script of a skill
	}
	base, temp := path.Base(name), tempOf(name)
	info, statErr := dir.Lstat(base)
	if statErr == nil {
		if !info.Mode().IsRegular() {
			return &LinkError{name}
		}
		mode = info.Mode().Perm()
	}
	err = writeNew(dir, temp, data, mode, statErr == nil)
	if err == nil {
		err = dir.Rename(temp, base)
	}
	if err != nil {
		_ = dir.Remove(temp) // it may not exist
	}
	return err
}

// writeNew writes a file that an interrupted run may have left.
func writeNew(dir *os.Root, name string, data []byte, mode fs.FileMode, exact bool) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		if err = dir.Remove(name); err == nil {
			f, err = dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if exact && err == nil {
		_ = f.Chmod(mode) // where it fails, the mask of the process holds
	}
	return errors.Join(err, f.Close())
}

// makeDir returns an open folder, made with its parents if need be.
func (d *disk) makeDir(name string) (*os.Root, error) {
	dir, err := d.dir(name)
	if err != nil || dir != nil {
		return dir, err
	}
	parent, err := d.makeDir(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if err := parent.Mkdir(path.Base(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	delete(d.dirs, name)
	return d.dir(name)
}

// remove removes a file, and the folders that are empty then.
func (d *disk) remove(name string) error {
	dir, err := d.dir(path.Dir(name))
	if err != nil || dir == nil {
		return err
	}
	if err := dir.Remove(path.Base(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for folder := path.Dir(name); folder != "." && (folder[0] == '.' || inPlugin(folder)); folder = path.Dir(folder) {
		parent, err := d.dir(path.Dir(folder))
		if err != nil || parent == nil || parent.Remove(path.Base(folder)) != nil {
			break // it is not empty
		}
		if open := d.dirs[folder]; open != nil {
			_ = open.Close() // the folder is gone
		}
		delete(d.dirs, folder)
	}
	return nil
}

// sweep removes the temporary file that an interrupted write left beside a file.
func (d *disk) sweep(name string) {
	if dir, err := d.dir(path.Dir(name)); err == nil && dir != nil {
		_ = dir.Remove(tempOf(name)) // mostly there is none
	}
}
