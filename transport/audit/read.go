package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
)

// maxLine is the longest line of a chain in bytes. What [Record.body] makes is
// shorter.
const maxLine = 128 << 10

// A fileChain is a chain in a folder, for reading. It takes no lock: lines are only added, and
// what is replaced is checked.
type fileChain struct{ dir string }

// chains implements backend.
func (k *files) chains(context.Context) ([]stored, error) {
	ids, err := k.ids()
	all := make([]stored, len(ids))
	for i, id := range ids {
		all[i] = &fileChain{filepath.Join(k.cfg.Dir, id)}
	}
	return all, err
}

// trusted implements backend.
func (k *files) trusted(keys []ed25519.PublicKey) (trust, error) { return trustedIn(k.cfg.Dir, keys) }

// renewedSigner implements backend.
func (k *files) renewedSigner(s *signer) (*signer, error) { return s.renewed(k.cfg.Dir) }

// began implements [backend]. It reports whether the public key is there, which is made with
// the first chain.
func (k *files) began() bool {
	_, err := os.Lstat(filepath.Join(k.cfg.Dir, keyfile.PublicName))
	return err == nil
}

// id implements stored: the chain is named by its folder.
func (c *fileChain) id() string { return filepath.Base(c.dir) }

// flush implements [stored]. It syncs the last file: what is in the others was synced when it
// was begun.
func (c *fileChain) flush() error {
	all, err := numbers(c.dir)
	if err != nil || len(all) == 0 {
		return err
	}
	f, err := os.Open(numbered(c.dir, all[len(all)-1]))
	if err != nil {
		return err
	}
	return errors.Join(atomicfile.SyncData(f), f.Close())
}

// headTries limits how often a head is read again that changes meanwhile.
const headTries = 5

// head implements [stored]. It reads the head again while it changes: the writer replaces it
// in place, so a reader may find a part of the old and of the new one.
func (c *fileChain) head(context.Context) (text []byte, err error) {
	for range headTries {
		if text, err = readHead(c.dir); !errors.Is(err, errHead) {
			break
		}
	}
	return text, err
}

// lines implements [stored]. It yields the lines of all files, and of a file that was written
// again in part only those that count.
func (c *fileChain) lines(ctx context.Context) iter.Seq2[place, error] {
	return c.linesFrom(ctx, "", 0)
}

// linesFrom implements stored.
func (c *fileChain) linesFrom(ctx context.Context, file string, line int) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		all, err := numbers(c.dir)
		if err != nil {
			yield(place{}, err)
			return
		}
		pass := yield
		yield = func(at place, err error) bool {
			return err == nil && at.file == file && at.line < line || pass(at, err)
		}
		for _, n := range all {
			if filepath.Base(numbered(c.dir, n)) < file {
				continue
			}
			if !readFile(ctx, numbered(c.dir, n), keptOf(c.dir, n), yield) {
				return
			}
		}
	}
}

// matching implements [stored]. Files have no index: all lines may match.
func (c *fileChain) matching(ctx context.Context, _ *Filter) iter.Seq2[place, error] {
	return c.lines(ctx)
}

// lineEnd ends all lines; one that has only the newline is half written.
var lineEnd = []byte("}\n")

// readFile yields the lines in the first bytes of a file and reports whether to go
// on. A file that does not exist was deleted after the folder was read. An empty
// line is the end: behind it is room for more, in which the end of what is just
// being written may show before its beginning.
func readFile(ctx context.Context, path string, length int64, yield func(place, error) bool) bool {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		yield(place{}, err)
		return false
	}
	defer func() { _ = f.Close() }() // only read
	in := bufio.NewReaderSize(io.LimitReader(f, length), maxLine)
	for n := 1; ; n++ {
		text, err := in.ReadSlice('\n')
		at := place{file: filepath.Base(path), line: n, text: text}
		switch {
		case ctx.Err() != nil:
			err = ctx.Err()
		case err == nil && len(text) == 1:
			return true
		case err == nil && !bytes.HasSuffix(text, lineEnd):
			at.text = bytes.Clone(text[:len(text)-1])
			next, _ := in.Peek(1) // at the end of the file there is none
			at.open = string(next) == "\n"
		case err == nil:
			at.text = text[:len(text)-1]
		case errors.Is(err, io.EOF) && len(text) == 0:
			return true
		case errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
			at.open, err = true, nil
		}
		if !yield(at, err) || err != nil {
			return false
		}
	}
}
