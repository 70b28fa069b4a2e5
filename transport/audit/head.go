package audit

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// errHead reports that the head of a chain is missing or damaged.
var errHead = errors.New("the head is missing or damaged")

// headSize is the size of the file head, which holds the last signed head. It is
// written in place, within one sector of a disk: a crash leaves the old or the new
// one.
const headSize = 512

// padded returns a signed head, filled up with spaces.
func padded(head []byte) []byte {
	text := bytes.Repeat([]byte{' '}, headSize)
	copy(text, head)
	text[headSize-1] = '\n'
	return text
}

// readHead reads the last signed head that was published.
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
