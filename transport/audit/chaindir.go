package audit

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Names in the folder of a trail and of a chain:
//
//	signing.key  signing.pub  rotations.json      the key pair, and keys before it
//	0123456789abcdef/                             a chain
//		000001.jsonl  000002.jsonl            its lines
//		head                                  its last signed head
//		lock                                  locked by the process that adds to it
const (
	headFile   = "head"
	lockFile   = "lock"
	fileSuffix = ".jsonl"
)

var (
	chainName = regexp.MustCompile(`^[0-9a-f]{16}$`)
	fileName  = regexp.MustCompile(`^[0-9]{6,}\.jsonl$`)
)

// newID returns a name for a chain. Its 64 random bits are enough for processes on many
// machines to make chains without asking one another.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// numbers returns the numbers of the files of a chain, ascending. Other files in the folder
// are ignored.
func numbers(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, e := range entries {
		var n int
		if !fileName.MatchString(e.Name()) {
			continue
		}
		if _, err := fmt.Sscanf(e.Name(), "%d"+fileSuffix, &n); err == nil {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

// numbered returns the path of the n-th file of a chain.
func numbered(dir string, n int) string {
	return filepath.Join(dir, fmt.Sprintf("%06d%s", n, fileSuffix))
}

// firstLine reads the note that begins a file. Its hash before is that of the last line of the
// file before.
func firstLine(path string) (line, error) {
	f, err := os.Open(path)
	if err != nil {
		return line{}, err
	}
	defer func() { _ = f.Close() }() // only read
	text, err := bufio.NewReaderSize(f, maxLine).ReadSlice('\n')
	if err != nil {
		return line{}, err
	}
	l, err := parseLine(text[:len(text)-1])
	if err == nil && (l.note == nil || l.note.File == nil) {
		err = fmt.Errorf("%s does not begin as a file of a chain", path)
	}
	return l, err
}

// sizeOf returns the size of a file, 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// keptOf returns how many bytes of a file count: any number, unless the first line
// of the next file says that it was written for the rest of this one.
func keptOf(dir string, number int) int64 {
	next, err := firstLine(numbered(dir, number+1))
	if err == nil && next.note.File.Kept > 0 {
		return next.note.File.Kept
	}
	return math.MaxInt64
}

// writeSynced makes a file and syncs it, but not its name: the caller syncs the folder. It
// fails if the file exists.
func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// errHead reports that the head of a chain is missing or damaged.
var errHead = errors.New("the head is missing or damaged")

// headSize is the size of the file head, which holds the last signed head. It is
// written in place, within one sector of a disk: a crash leaves the old or the new
// one.
const headSize = 512

// padded returns a signed head, filled up with spaces and ended with a newline to headSize
// bytes, so that a shorter head leaves nothing of a longer one.
func padded(head []byte) []byte {
	text := bytes.Repeat([]byte{' '}, headSize)
	copy(text, head)
	text[headSize-1] = '\n'
	return text
}

// readHead reads the last signed head that was published. It returns errHead for a file that
// is missing, and for one that is not exactly what padded makes: a reader may find it half
// replaced.
func readHead(dir string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, headFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errHead
	}
	if err != nil {
		return nil, err
	}
	head := bytes.TrimRight(text, " \n")
	if len(head) >= headSize || !bytes.Equal(padded(head), text) {
		return nil, errHead
	}
	return head, nil
}
