package sourcefile

import (
	"io"
	"os"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
)

// maxCached is how large a file may be that is kept.
const maxCached = 1 << 20

// A Cache is the file whose lines were shown last. Each step shows one, and
// most are of the same file as the one before.
type Cache struct {
	path   string
	info   os.FileInfo // as it was read
	text   string
	starts []uint32 // of the lines in text
}

// Line is the text of one line, "" when there is none. The file is read again
// when it has changed.
func (k *Cache) Line(path string, n int) string {
	if !k.current(path) {
		*k = readFile(path)
	}
	switch {
	case k.info == nil:
		return Line(path, n)
	case n < 1 || n > len(k.starts):
		return ""
	}
	text, _, _ := strings.Cut(k.text[k.starts[n-1]:], "\n")
	return strings.TrimSpace(oneLine(text))
}

// current says whether the file is the one that was read.
func (k *Cache) current(path string) bool {
	if k.info == nil || k.path != path {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, k.info) && now.Size() == k.info.Size() && now.ModTime().Equal(k.info.ModTime())
}

// readFile reads a file; one that is too large or cannot be read is not kept.
func readFile(path string) Cache {
	f, err := core.OpenRegular(path)
	if err != nil {
		return Cache{}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() > maxCached {
		return Cache{}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxCached))
	if err != nil {
		return Cache{}
	}
	k := Cache{path: path, info: info, text: string(text)}
	for at := 0; at < len(text); {
		k.starts = append(k.starts, uint32(at)) // not more than maxKept
		next := strings.IndexByte(k.text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return k
}
