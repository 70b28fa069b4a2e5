package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

const (
	// fileFormat is the version of the file's form.
	fileFormat = 1
	// maxFileBytes is the largest file that is read: some 100,000 keys.
	maxFileBytes = 64 << 20
)

// noFile is the version of a file that is not there.
const noFile version = "none"

// versionNow is the version of the file; "" when that cannot be told.
func (s *FileStore) versionNow() version {
	info, err := os.Stat(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noFile
	case err != nil:
		return ""
	}
	return versionOf(info)
}

// versionOf returns the version of a file in that state, "" if the next state may look the
// same: a file system's clock may be coarser than two changes are apart.
func versionOf(info fs.FileInfo) version {
	stamp := filestamp.Of(info).Content()
	if !stamp.Settled(time.Now()) {
		return ""
	}
	text, _ := stamp.AppendBinary(nil) // which never fails
	return version(text)
}

// A keyFile is the form of the file. A field is added only with a new Version: a program that
// does not know the field would drop it with its next change.
type keyFile struct {
	Version int      `json:"version"`
	Keys    []Record `json:"keys"`
}

// readRing reads an open file. A record that is not valid makes the whole file invalid.
func readRing(f *os.File) (*ring, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkMode(info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	records, err := decodeFile(data)
	if err != nil {
		return nil, err
	}
	r, errs := newRing(versionOf(info), records)
	return r, errors.Join(errs...)
}

// othersWrite are the permissions that would let other users of the machine make keys.
const othersWrite = 0o022

// checkMode refuses a file that other users may write: a record that one of them adds would
// open the server. The store itself makes it with mode 0600, for hashes tell which keys there
// are.
func checkMode(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	if mode := info.Mode().Perm(); mode&othersWrite != 0 {
		return fmt.Errorf("others may write it (mode %#o); it must have mode 0600", mode)
	}
	return nil
}

// decodeFile reads the file's form strictly: a field that is misspelled could
// be the one that takes a right away.
func decodeFile(data []byte) ([]Record, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("it is larger than %d bytes", maxFileBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var file keyFile
	if err := dec.Decode(&file); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the JSON object")
	}
	if file.Version != fileFormat {
		return nil, fmt.Errorf("it has version %d of the format, not %d", file.Version, fileFormat)
	}
	return file.Keys, nil
}
