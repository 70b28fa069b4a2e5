package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/internal/private"
)

// A ChainCopy is a chain of a trail in a form that any store can adopt, with the hashes and
// signatures of the original.
type ChainCopy struct {
	ID   string
	Head []byte // the last published signed head
	// Lines yields the lines without their ends. A line must not be kept. The error
	// [ErrChanging] at the end says that the lines are no whole chain.
	Lines iter.Seq2[[]byte, error]
}

// ErrChanging is wrapped when a part of a chain was deleted by policy while it was read: the
// copy has a gap, and is to be made again.
var ErrChanging = errors.New("the chain has changed while it was read")

// Chains returns the chains of the trail that the log is part of. The trail may be in
// use: records that are added meanwhile may be missing, those before are not.
func (l *Log) Chains(ctx context.Context) ([]ChainCopy, error) {
	all, err := l.backend.chains(ctx)
	if err != nil {
		return nil, err
	}
	copies := make([]ChainCopy, 0, len(all))
	for _, c := range all {
		head, err := c.head(ctx) // before the lines: it must not be of a line that is not copied
		if err != nil {
			return nil, fmt.Errorf("chain %s: %w", c.id(), err)
		}
		copies = append(copies, ChainCopy{ID: c.id(), Head: bytes.Clone(head), Lines: checkedLines(ctx, c, head)})
	}
	return copies, nil
}

// checkedLines yields the lines that a writer has finished, and then an error if they are no
// whole chain up to a head, and another head was published meanwhile. A chain that is broken
// and to which no process adds is copied as it is.
func checkedLines(ctx context.Context, c stored, head []byte) iter.Seq2[[]byte, error] {
	head = bytes.Clone(head)
	return func(yield func([]byte, error) bool) {
		v := &verifier{report: ChainReport{Chain: c.id()}, head: string(head)}
		for at, err := range c.lines(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if v.trusted == nil {
				v.trusted = keyNamed(at.text)
			}
			v.line(at)
			if at.open {
				continue // it is just being written
			}
			if !yield(at.text, nil) {
				return
			}
		}
		if v.end(); v.report.Broken == nil {
			return
		}
		if now, err := c.head(ctx); err != nil || !bytes.Equal(now, head) {
			yield(nil, fmt.Errorf("%w: %w", ErrChanging, v.report.Broken))
		}
	}
}

// keyNamed returns the public key that the first line of a chain names. Whether it is trusted
// is for those who verify the copy.
func keyNamed(text []byte) []ed25519.PublicKey {
	l, err := parseLine(text)
	if err != nil || l.note == nil || l.note.File == nil {
		return nil
	}
	key, _ := hex.DecodeString(l.note.File.PublicKey) // none is as good as a wrong one
	return []ed25519.PublicKey{key}
}

// Adopt adds a chain of another trail, whose signing key this trail must have. It fails
// with an error for which os.IsExist reports true if the chain is there.
func (l *Log) Adopt(ctx context.Context, c ChainCopy) error {
	if id, err := hex.DecodeString(c.ID); err != nil || len(id) == 0 {
		return fmt.Errorf("%q is no name of a chain", c.ID) // it becomes a folder
	}
	store, ok := l.backend.(interface {
		adopt(ctx context.Context, c ChainCopy) error
	})
	if !ok {
		return errors.New("this trail takes no chains of another")
	}
	return store.adopt(ctx, c)
}

// adopt writes the lines into as many files as they were in, and the head last, so that
// a chain whose copy was cut off is seen to be incomplete.
func (k *files) adopt(_ context.Context, c ChainCopy) error {
	dir := filepath.Join(k.cfg.Dir, c.ID)
	if err := private.MakeDir(k.cfg.Dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	var out *os.File
	end := func() error {
		if out == nil {
			return nil
		}
		return errors.Join(out.Sync(), out.Close())
	}
	for text, err := range c.Lines {
		if err != nil {
			return errors.Join(err, end())
		}
		if n, ok := beginsFile(text); ok || out == nil {
			if err := end(); err != nil {
				return err
			}
			if out, err = os.OpenFile(numbered(dir, max(n, 1)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
				return err
			}
		}
		if _, err := out.Write(append(bytes.Clone(text), '\n')); err != nil {
			return errors.Join(err, end())
		}
	}
	if err := end(); err != nil {
		return err
	}
	return writeSynced(filepath.Join(dir, headFile), padded(c.Head))
}

// beginsFile returns the number of the file that a line begins.
func beginsFile(text []byte) (n int, ok bool) {
	l, err := parseLine(text)
	if err != nil || l.note == nil || l.note.File == nil {
		return 0, false
	}
	return l.note.File.Number, true
}

// adoptAtOnce is the number of lines that are sent to a store together.
const adoptAtOnce = 1000

// adopt adds the lines to a stream, and the head last.
func (k *valkeyBackend) adopt(ctx context.Context, c ChainCopy) error {
	stream := k.names.stream(c.ID)
	if n, err := k.client.Exists(ctx, stream).Result(); err != nil || n > 0 {
		return errors.Join(err, existing(n > 0, c.ID))
	}
	pipe, number := k.client.Pipeline(), 0
	for text, err := range c.Lines {
		if err != nil {
			return err
		}
		number++
		pipe.XAdd(ctx, &redis.XAddArgs{Stream: stream, ID: strconv.Itoa(number) + "-0", Values: []any{lineField, bytes.Clone(text)}})
		if pipe.Len() >= adoptAtOnce {
			if _, err := pipe.Exec(ctx); err != nil {
				return err
			}
		}
	}
	pipe.HSet(ctx, k.names.heads(), c.ID, c.Head)
	_, err := pipe.Exec(ctx)
	return err
}

// existing returns an error if a chain is there already.
func existing(is bool, id string) error {
	if !is {
		return nil
	}
	return &os.PathError{Op: "adopt", Path: id, Err: os.ErrExist}
}
