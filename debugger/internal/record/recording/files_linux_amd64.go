package recording

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// files is the table of files that the program has mapped, while it is recorded.
type files struct {
	writer *recfile.Writer
	known  map[stamp]int
	list   []recfile.File
	mapped map[uint64]int                    // files by the addresses of mappings that were added last
	kept   map[[recfile.DigestSize]byte]bool // digests of contents that were added
	room   int64                             // for contents
	before *filecache.Cache                  // digests of files in earlier recordings, or nil
	err    error                             // that ends the recording
}

func newFiles(w *recfile.Writer, before *filecache.Cache) files {
	return files{writer: w, before: before, known: make(map[stamp]int), mapped: make(map[uint64]int), kept: make(map[[recfile.DigestSize]byte]bool), room: w.ContentsRoom()}
}

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
	n, err := f.addFile(recfile.File{Path: path, Size: info.Size()}, file)
	if err != nil {
		return -1
	}
	f.known[key] = n
	return n
}

// addFile adds a file to the table, and its contents if they are kept.
func (f *files) addFile(new recfile.File, file *os.File) (int, error) {
	var data []byte
	var err error
	keeps := f.keeps(&new)
	if keeps {
		data, err = recfile.ReadWhole(file, new.Size)
		new.Digest = sha256.Sum256(data)
	} else {
		new.Digest, err = f.digest(file)
	}
	if err != nil {
		return 0, err
	}
	n, err := f.writer.AddFile(new)
	if err == nil && keeps {
		err = f.keep(&new, data)
	}
	f.err = errors.Join(f.err, err)
	f.list = append(f.list, new)
	return n, err
}

// digest returns the digest of a file's contents, from an earlier recording if the file has not changed
// since then.
func (f *files) digest(file *os.File) ([recfile.DigestSize]byte, error) {
	before, err := file.Stat()
	if f.before == nil || err != nil {
		return recfile.DigestOf(file)
	}
	seen, state := time.Now(), filestamp.Of(before)
	name, _ := state.AppendBinary([]byte("digest "))
	if value, ok := f.before.Get(string(name)); ok && len(value) == recfile.DigestSize {
		return [recfile.DigestSize]byte(value), nil
	}
	digest, err := recfile.DigestOf(file)
	if err != nil {
		return digest, err
	}
	after, err := file.Stat()
	if err == nil && filestamp.Of(after) == state && state.Unique() && state.Settled(seen) {
		_ = f.before.Put(string(name), digest[:]) // the next recording takes more time otherwise
	}
	return digest, nil
}

// read reads a part of a file of the table.
func (f *files) read(n int, offset uint64, length int) []byte {
	file, err := os.Open(f.list[n].Path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	b := make([]byte, length)
	k, _ := file.ReadAt(b, int64(offset))
	return b[:k]
}

// Files whose contents are in each recording: small ones, those that are no part of the system,
// such as the program, and those that were unmapped again, such as the cache of the dynamic
// linker. Others are only added if all that a replay needs is wanted, see Pack.
const (
	smallFile    = 64 << 10
	ownFile      = 16 << 20
	unmappedFile = 4 << 20
)

// systemFolders have files that come with the system or its packages.
var systemFolders = []string{"/usr/", "/lib", "/bin/", "/sbin/", "/etc/", "/opt/", "/nix/", "/gnu/", "/snap/", "/var/"}

// keeps reports whether the contents of a file are kept when it is mapped.
func (f *files) keeps(file *recfile.File) bool {
	limit := int64(ownFile)
	for _, folder := range systemFolders {
		if strings.HasPrefix(file.Path, folder) {
			limit = smallFile
		}
	}
	return file.Size <= min(limit, f.room)
}

// keep adds the contents of a file.
func (f *files) keep(file *recfile.File, data []byte) error {
	if f.kept[file.Digest] {
		return nil
	}
	f.kept[file.Digest] = true
	f.room -= file.Size
	return f.writer.AddContents(file, bytes.NewReader(data))
}

// noteMapped notes a new mapping of a file.
func (f *files) noteMapped(start uint64, n int) {
	if f.room > 0 {
		f.mapped[start] = n
	}
}

// noteUnmapped adds the contents of a file that the program had mapped at an address: what it does
// not need for long is replaced soonest.
func (f *files) noteUnmapped(start uint64) error {
	n, ok := f.mapped[start]
	delete(f.mapped, start)
	if !ok || f.list[n].Size > min(unmappedFile, f.room) || f.kept[f.list[n].Digest] {
		return nil
	}
	file := &f.list[n]
	data, err := recfile.ReadSame(file)
	if err != nil {
		return nil // it has changed meanwhile
	}
	return f.keep(file, data)
}
