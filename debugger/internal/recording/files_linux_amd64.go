package recording

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"
)

// files is the table of files that the program has mapped, while it is recorded.
type files struct {
	writer *Writer
	known  map[stamp]int
	paths  []string
	err    error // that ends the recording
}

func newFiles(w *Writer) files { return files{writer: w, known: make(map[stamp]int)} }

// A stamp identifies the contents of a file.
type stamp struct {
	path     string
	size     int64
	modified int64
}

// add returns the index of a file, or -1 if a replay will not find it: its contents must be
// recorded. The second path leads to the same file even if the program is in another file
// system; the kernel may refuse it.
func (f *files) add(path, direct string) int {
	if strings.HasSuffix(path, " (deleted)") {
		return -1
	}
	file, err := os.Open(direct)
	if err != nil {
		if file, err = os.Open(path); err != nil {
			return -1
		}
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	named, err2 := os.Stat(path)
	if err != nil || err2 != nil || !info.Mode().IsRegular() || !os.SameFile(info, named) {
		return -1
	}
	key := stamp{path, info.Size(), info.ModTime().UnixNano()}
	if n, ok := f.known[key]; ok {
		return n
	}
	digest, err := digestOf(file)
	if err != nil {
		return -1
	}
	n, err := f.writer.addFile(File{Path: path, Size: info.Size(), Digest: digest})
	if err != nil {
		f.err = errors.Join(f.err, err)
		return -1
	}
	f.known[key] = n
	f.paths = append(f.paths, path)
	return n
}

// digestOf returns the digest of a file's contents.
func digestOf(r io.Reader) (digest [32]byte, err error) {
	sum := sha256.New()
	_, err = io.Copy(sum, r)
	sum.Sum(digest[:0])
	return digest, err
}

// read reads a part of a file of the table.
func (f *files) read(n int, offset uint64, length int) []byte {
	file, err := os.Open(f.paths[n])
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	b := make([]byte, length)
	k, _ := file.ReadAt(b, int64(offset))
	return b[:k]
}
