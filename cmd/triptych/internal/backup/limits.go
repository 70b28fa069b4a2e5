package backup

import (
	"bufio"
	"fmt"
	"io"
)

// Limits of what is in memory at one time when a backup is read. An archive of a few KiB can have
// gigabytes in it. Larger entries, such as those of the audit trail, go through files. What is
// beyond a limit is not written either: there is no backup that cannot be restored.
const (
	maxManifestSize = 64 << 20
	maxRulesetSize  = 4 << 30   // with all its revisions
	maxRevisionSize = 128 << 20 // more than the JSON of a text of 16 MiB
	maxFileSize     = 64 << 20  // of a file of a ruleset
	maxHeadSize     = 1 << 20   // of a chain
	maxLineSize     = 32 << 20  // of a chain
	maxElementSize  = 16 << 20  // of an array
)

// A sizeError reports what is larger than any part of a backup.
type sizeError struct {
	what  string
	limit int64
}

func (e *sizeError) Error() string {
	return fmt.Sprintf("%s has more than %d MiB, which no backup has", e.what, e.limit>>20)
}

// within returns an error if something that is to be written is too large to be read.
func within(what string, size, limit int64) error {
	if size <= limit {
		return nil
	}
	return fmt.Errorf("%s has %d bytes; a backup that can be restored has at most %d", what, size, limit)
}

// readAll reads a content of at most so many bytes.
func readAll(content io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(content, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, &sizeError{"an entry", limit}
	}
	return b, err
}

// readLine reads a line with its end, as [bufio.Reader.ReadBytes] does, of at most so many bytes.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > limit {
			return nil, &sizeError{"a line", int64(limit)}
		}
		if err != bufio.ErrBufferFull { //nolint:errorlint // ReadSlice returns it as it is
			return line, err
		}
	}
}

// A boundedReader fails if more than so many bytes are read without a call of next.
type boundedReader struct {
	r     io.Reader
	what  string // that is read between calls of next
	limit int64
	left  int64
}

// aroundElement is more than the punctuation before and after an element.
const aroundElement = 64

// next begins another element.
func (b *boundedReader) next() { b.left = b.limit + aroundElement }

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, &sizeError{b.what, b.limit}
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
