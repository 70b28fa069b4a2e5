// Package findings keeps what was found in recordings in files, so that a second session of a
// recording need not search it again.
//
//	store := findings.Open(folder, digest)
//	store.Save("hits 401136", 5, numbers)
//	numbers, ok := store.Load("hits 401136")
//
// A finding is a list of numbers under a key. Its file belongs to one recording, by the digest of
// its bytes, and to one version of this program. A file that is damaged or of something else is
// ignored. The files of a folder are bounded; those used last stay.
//
// # Concurrency
//
// Stores of one folder may be used at the same time, also by several processes.
package findings

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// Limits of the files.
const (
	// MaxFile is the size of the largest file.
	MaxFile = 16 << 20
	// MaxFolder is the size of all files of a folder.
	MaxFolder = 256 << 20
)

// format is the version of the layout of files and of the meaning of the numbers.
const format = 1

const (
	suffix     = ".finding"
	tempPrefix = "." // as atomicfile has it
)

// A Store keeps the findings of one recording.
type Store struct {
	folder   string
	identity [sha256.Size]byte
	limit    int64
}

// Open returns a store in a folder, which is created when something is saved, for the recording
// with a digest.
func Open(folder string, digest []byte) *Store {
	h := sha256.New()
	fmt.Fprintln(h, format, hex.EncodeToString(digest))
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info.Main.Version)
		for _, s := range info.Settings {
			if strings.HasPrefix(s.Key, "vcs.") {
				fmt.Fprintln(h, s.Value)
			}
		}
	}
	return &Store{folder: folder, identity: [sha256.Size]byte(h.Sum(nil)), limit: MaxFolder}
}

// head returns what the file of a key begins with.
func (s *Store) head(key string) [sha256.Size]byte {
	h := sha256.New()
	h.Write(s.identity[:])
	h.Write([]byte(key))
	return [sha256.Size]byte(h.Sum(nil))
}

func (s *Store) path(head [sha256.Size]byte) string {
	return filepath.Join(s.folder, hex.EncodeToString(head[:16])+suffix)
}

// Load returns the numbers that were saved under a key, if they are there.
func (s *Store) Load(key string) (numbers []uint64, ok bool) {
	head := s.head(key)
	path := s.path(head)
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil || len(b) > MaxFile {
		return nil, false
	}
	if numbers, ok = decode(b, head); ok {
		markUsed(path)
	}
	return numbers, ok
}

// markUsed sets the time by which trim selects files. The system's own times may be several
// milliseconds old.
func markUsed(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now) // the file is removed sooner if that fails
}

// Save saves numbers under a key. Numbers that are a multiple of stride apart are expected to be
// near each other. What cannot be saved is found again by the next session.
func (s *Store) Save(key string, stride int, numbers []uint64) {
	head := s.head(key)
	b := encode(head, stride, numbers)
	if len(b) > MaxFile || os.MkdirAll(s.folder, 0o700) != nil {
		return
	}
	if atomicfile.WriteUnsynced(s.path(head), b, 0o600) != nil {
		return
	}
	markUsed(s.path(head))
	s.trim()
}

// trim removes the files that were not used for the longest time, until the others are within the
// limit.
func (s *Store) trim() {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return
	}
	var files []os.FileInfo
	size := int64(0)
	for _, e := range entries {
		name := e.Name()
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && (strings.HasSuffix(name, suffix) || strings.HasPrefix(name, tempPrefix)) {
			files = append(files, info)
			size += info.Size()
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files {
		if size <= s.limit {
			return
		}
		if os.Remove(filepath.Join(s.folder, f.Name())) == nil {
			size -= f.Size()
		}
	}
}

// The layout of a file: the head, the stride, the number of numbers, and the difference of each of
// them from the one a stride before it, as varints; then the SHA-256 of all that.

func encode(head [sha256.Size]byte, stride int, numbers []uint64) []byte {
	b := binary.AppendUvarint(head[:], uint64(stride))
	b = binary.AppendUvarint(b, uint64(len(numbers)))
	for i, n := range numbers {
		if i >= stride {
			n -= numbers[i-stride]
		}
		b = binary.AppendVarint(b, int64(n))
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func decode(b []byte, head [sha256.Size]byte) (numbers []uint64, ok bool) {
	if len(b) < 2*sha256.Size || !bytes.HasPrefix(b, head[:]) {
		return nil, false
	}
	b, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if got := sha256.Sum256(b); !bytes.Equal(got[:], sum) {
		return nil, false
	}
	r := bytes.NewReader(b[len(head):])
	stride, err := binary.ReadUvarint(r)
	if err != nil || stride == 0 {
		return nil, false
	}
	count, err := binary.ReadUvarint(r)
	if err != nil || count > uint64(r.Len()) {
		return nil, false
	}
	numbers = make([]uint64, count)
	for i := range numbers {
		n, err := binary.ReadVarint(r)
		if err != nil {
			return nil, false
		}
		if numbers[i] = uint64(n); uint64(i) >= stride {
			numbers[i] += numbers[uint64(i)-stride]
		}
	}
	return numbers, r.Len() == 0
}
