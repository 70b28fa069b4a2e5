package audit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/transport/internal/private"
)

// A ChainCopy is a chain of a trail in a form that any store can adopt, with the hashes and
// signatures of the original: what was verified there can be verified here.
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

// Chains returns the chains of the trail that the log is part of. The trail may be in use:
// records that are added meanwhile may be missing, those before are not. Lines are read while
// they are ranged over.
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
// and to which no process adds is copied as it is: a backup must not be the reason that
// evidence is lost.
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

// Adopt adds a chain of another trail, whose signing key this trail must have to verify it. It
// fails with an error for which os.IsExist reports true if the chain is there. An Adopt that
// was cut off leaves nothing that is listed and can be repeated. The log itself does not add
// to the chain.
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

// adoptPrefix begins the name of the folder of a chain that is not whole yet.
const adoptPrefix = ".adopt-"

// adopt writes the lines into as many files as they were in, and the head, into a folder that
// gets the name of the chain when it is whole.
func (k *files) adopt(_ context.Context, c ChainCopy) error {
	if err := private.MakeDir(k.cfg.Dir); err != nil {
		return err
	}
	dir, temp := filepath.Join(k.cfg.Dir, c.ID), filepath.Join(k.cfg.Dir, adoptPrefix+c.ID)
	if _, err := os.Lstat(dir); err == nil {
		return existing(true, c.ID)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(temp); err != nil { // of an earlier attempt
		return err
	}
	if err := os.Mkdir(temp, 0o700); err != nil {
		return err
	}
	err := writeFiles(temp, c)
	if err == nil {
		err = atomicfile.SyncDir(temp)
	}
	if err == nil {
		err = os.Rename(temp, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	return atomicfile.SyncDir(k.cfg.Dir)
}

// writeFiles writes the files of a chain into an empty folder, and syncs each. A line that
// begins a file says which number that has.
func writeFiles(dir string, c ChainCopy) error {
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

// adopt adds the lines to a stream of another name, which gets the name of the chain when it is
// whole, and then stores the head.
func (k *valkeyBackend) adopt(ctx context.Context, c ChainCopy) error {
	has, err := k.client.HExists(ctx, k.names.heads(), c.ID).Result()
	if err != nil || has {
		return cmp.Or(err, existing(has, c.ID))
	}
	stream, temp := k.names.stream(c.ID), k.names.adopting(c.ID)
	if err := k.client.Del(ctx, temp).Err(); err != nil { // of an earlier attempt
		return err
	}
	pipe, number := k.client.Pipeline(), 0
	for text, err := range c.Lines {
		if err != nil {
			return errors.Join(err, k.client.Del(context.WithoutCancel(ctx), temp).Err())
		}
		number++
		pipe.XAdd(ctx, &redis.XAddArgs{Stream: temp, ID: entryID(number), Values: []any{lineField, bytes.Clone(text)}})
		if pipe.Len() >= adoptAtOnce {
			if _, err := pipe.Exec(ctx); err != nil {
				return err
			}
		}
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	if err := k.nameAdopted(ctx, temp, stream, c.ID); err != nil {
		return err
	}
	return k.client.HSet(ctx, k.names.heads(), c.ID, c.Head).Err()
}

// nameAdopted gives a stream its name. Where an earlier attempt was cut off right after that,
// the stream is there and equal; another one stays, and is an error.
func (k *valkeyBackend) nameAdopted(ctx context.Context, temp, stream, id string) error {
	named, err := k.client.RenameNX(ctx, temp, stream).Result()
	if err != nil || named {
		return err
	}
	end := make([]*redis.XMessageSliceCmd, 2)
	if _, err := k.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		end[0], end[1] = p.XRevRangeN(ctx, temp, "+", "-", 1), p.XRevRangeN(ctx, stream, "+", "-", 1)
		p.Del(ctx, temp)
		return nil
	}); err != nil {
		return err
	}
	// The last line has the hash of the one before it, and so of all.
	same := len(end[0].Val()) == 1 && len(end[1].Val()) == 1 &&
		bytes.Equal(linePlace("", end[0].Val()[0]).text, linePlace("", end[1].Val()[0]).text)
	return existing(!same, id)
}

// existing returns an error for which os.IsExist reports true if a chain is there already,
// else nil.
func existing(is bool, id string) error {
	if !is {
		return nil
	}
	return &os.PathError{Op: "adopt", Path: id, Err: os.ErrExist}
}
