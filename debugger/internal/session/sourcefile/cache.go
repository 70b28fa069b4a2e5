package sourcefile

import (
	"io"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// maxCached is the maximum size of a cached file.
const maxCached = 1 << 20

// A Cache holds the file whose lines were shown last. Each step shows a line,
// mostly of the same file as before.
type Cache struct {
	path   string          // "" if there is none
	stamp  filestamp.Stamp // as it was read
	text   string
	starts []uint32 // of the lines in text
}

// Line returns the text of a line, "" if there is none. A file that has
// changed is read again.
func (k *Cache) Line(path string, n int) string {
	if !k.current(path) {
		*k = readFile(path)
	}
	switch {
	case k.path == "":
		return Line(path, n)
	case n < 1 || n > len(k.starts):
		return ""
	}
	text, _, _ := strings.Cut(k.text[k.starts[n-1]:], "\n")
	return strings.TrimSpace(oneLine(text))
}

// current reports whether the cached file is the one at a path, and unchanged.
func (k *Cache) current(path string) bool {
	if k.path == "" || k.path != path {
		return false
	}
	now, err := filestamp.Stat(path)
	return err == nil && now == k.stamp
}

// readFile reads a file. It returns an empty cache if the file is too large or
// cannot be read.
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
	k := Cache{path: path, stamp: filestamp.Of(info), text: string(text)}
	for at := 0; at < len(text); {
		k.starts = append(k.starts, uint32(at)) // at most maxCached
		next := strings.IndexByte(k.text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return k
}
