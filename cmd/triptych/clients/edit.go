package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// maxFile is the largest configuration file that is read.
const maxFile = 16 << 20

// Edit replaces a file by what change makes of it, or creates it with its
// folders; change gets nil when there is no file. The file is whole at every
// moment, keeps its mode, and stays where a symbolic link points. Nothing is
// written when change fails or changes nothing.
func Edit(path string, change func(old []byte) ([]byte, error)) (changed bool, err error) {
	path, err = follow(path)
	if err != nil {
		return false, err
	}
	old, err := Read(path)
	if err != nil {
		return false, err
	}
	text, err := change(old)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if old != nil && bytes.Equal(old, text) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	err = atomicfile.Write(path, text, 0o600)
	return err == nil, err
}

// Read is the text of a configuration file, nil when it is not there.
func Read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: longer than %d bytes", path, maxFile)
	}
	if text == nil {
		text = []byte{}
	}
	return text, err
}

// follow is the file behind a symbolic link, path itself when it is none or
// is not there.
func follow(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	return filepath.EvalSymlinks(path)
}
