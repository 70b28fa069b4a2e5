package debugger

import (
	"io"
	"os"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
)

// maxKept is how large a file may be that is kept.
const maxKept = 1 << 20

// A keptSource is the file whose lines were shown last. Each step shows one, and
// most are of the same file as the one before.
type keptSource struct {
	path   string
	info   os.FileInfo // as it was read
	text   string
	starts []uint32 // of the lines in text
}

// line is the text of one line, "" when there is none. The file is read again
// when it has changed.
func (k *keptSource) line(path string, n int) string {
	if !k.current(path) {
		*k = readSource(path)
	}
	switch {
	case k.info == nil:
		return sourceLine(path, n)
	case n < 1 || n > len(k.starts):
		return ""
	}
	text, _, _ := strings.Cut(k.text[k.starts[n-1]:], "\n")
	return strings.TrimSpace(oneLine(text))
}

// current says whether the file is the one that was read.
func (k *keptSource) current(path string) bool {
	if k.info == nil || k.path != path {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, k.info) && now.Size() == k.info.Size() && now.ModTime().Equal(k.info.ModTime())
}

// readSource reads a file; one that is too large or cannot be read is not kept.
func readSource(path string) keptSource {
	f, err := core.OpenRegular(path)
	if err != nil {
		return keptSource{}
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() > maxKept {
		return keptSource{}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKept))
	if err != nil {
		return keptSource{}
	}
	k := keptSource{path: path, info: info, text: string(text)}
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
