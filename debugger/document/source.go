package document

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// inlineName is the name of inline documents in errors.
const inlineName = "inline"

// isInline reports whether a document argument is XML text, not a path.
func isInline(argument string) bool {
	text := strings.TrimLeft(strings.TrimPrefix(argument, "\uFEFF"), " \t\r\n")
	return strings.HasPrefix(text, "<")
}

// A source is the text of a document and its origin.
type source struct {
	name   string          // absolute path, or inlineName
	uri    string          // base URI of the tree; empty for inline documents
	text   []byte          // UTF-8
	stamp  filestamp.Stamp // zero for inline documents
	digest [sha256.Size]byte
	seen   time.Time // time of reading
}

// inline returns the source for XML in an argument. The string is UTF-8, so the
// encoding in its declaration is ignored.
func (l *Library) inline(argument string) (*source, error) {
	argument = strings.TrimPrefix(argument, "\uFEFF")
	if size := int64(len(argument)); size > l.config.MaxDocument {
		return nil, l.tooLarge(inlineName, size)
	}
	text := []byte(argument)
	return &source{name: inlineName, text: text}, checkUTF8(inlineName, text)
}

// attempts limits how often a file that changes while it is read is read again.
const attempts = 3

// read reads an open file into a source.
func (l *Library) read(file *os.File, name string) (*source, error) {
	for range attempts {
		src, err := l.readOnce(file, name)
		if src != nil || err != nil {
			return src, err
		}
	}
	return nil, changing(name)
}

// readOnce returns nil if the file changed while it was read.
func (l *Library) readOnce(file *os.File, name string) (*source, error) {
	before, err := file.Stat()
	if err != nil {
		return nil, unreadable(name, err)
	}
	if before.Size() > l.config.MaxDocument {
		return nil, l.tooLarge(name, before.Size())
	}
	seen := time.Now()
	raw := make([]byte, before.Size())
	n, err := io.ReadFull(io.NewSectionReader(file, 0, before.Size()), raw)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, unreadable(name, err)
	}
	after, err := file.Stat()
	if err != nil {
		return nil, unreadable(name, err)
	}
	if int64(n) != before.Size() || filestamp.Of(before) != filestamp.Of(after) {
		return nil, nil
	}
	text, err := decode(name, raw)
	if err != nil {
		return nil, err
	}
	return &source{name: name, uri: fileURI(name), text: text, stamp: filestamp.Of(before), digest: sha256.Sum256(raw), seen: seen}, nil
}

func (l *Library) tooLarge(name string, size int64) error {
	return &LimitError{
		Subject: name, What: LimitSize, Limit: l.config.MaxDocument, Need: size,
		Detail: fmt.Sprintf("it has %d", size),
	}
}
