package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"
)

// A restingChain is one that no process adds to while its key is rotated. A chain of files is
// locked until release; in a store there are no locks, and sign finds out whether another
// server has added to it.
type restingChain struct {
	id      string
	sign    func(*signer) error // adds the rotations and a signed head
	release func() error        // lets processes add to it again
}

// errBusy is returned for a chain that a process adds to. That process finds the new key
// itself before it signs the next time.
var errBusy = errors.New("a process adds to it")

// atRest returns the chains that no process adds to, and adds the others to r. A chain that
// appears later is not signed: a process with the new key signs it itself, and others must not
// be trusted. The caller releases those that are returned, also beside an error.
func (k *files) atRest(ctx context.Context, stores []ValkeyConfig, r *Rotation) (rest []restingChain, err error) {
	ids, err := k.ids()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		lock := flock.New(filepath.Join(k.cfg.Dir, id, lockFile), flock.SetPermissions(0o600))
		c := restingChain{id: id, release: lock.Close, sign: func(s *signer) error { return k.signChain(id, lock, s) }}
		ok, err := lock.TryLock()
		switch {
		case err != nil:
			r.add(c, err, k.cfg.Logger)
		case !ok:
			r.add(c, errBusy, k.cfg.Logger)
		default:
			rest = append(rest, c)
		}
	}
	for _, cfg := range stores {
		streams, err := newValkeyBackend(cfg).atRest(ctx, r)
		if err != nil {
			return rest, err
		}
		rest = append(rest, streams...)
	}
	return rest, nil
}

// signChain adds the rotations and a signed head to a chain whose lock is held, and releases
// the lock. It does nothing with a chain that knows of the new key, so it may be repeated.
func (k *files) signChain(id string, lock *flock.Flock, s *signer) (err error) {
	c := &chain{id: id, signer: s}
	w, err := k.resume(c, lock, k.cfg.Now())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if len(c.pending) == 0 {
		return nil
	}
	g := c.rotationGroup(w.notes, k.cfg.Now())
	if err := w.write(g, c); err != nil {
		return err
	}
	return errors.Join(w.sync(w.mark()), w.publish(g.head))
}

// atRest returns the chains of the store that no server marks as its own, and adds the others
// to r.
func (k *valkeyBackend) atRest(ctx context.Context, r *Rotation) (rest []restingChain, err error) {
	chains, err := k.chains(ctx)
	if err != nil {
		return nil, err
	}
	toEnd := context.WithoutCancel(ctx)
	for _, stored := range chains {
		id := stored.id()
		c := restingChain{id: id, release: func() error { return nil }, sign: func(s *signer) error { return k.signChain(toEnd, id, s) }}
		switch n, err := k.client.Exists(ctx, k.names.alive(id)).Result(); {
		case err != nil:
			return nil, err
		case n > 0:
			r.add(c, errBusy, k.logger)
		default:
			rest = append(rest, c)
		}
	}
	return rest, nil
}

// signChain adds the rotations and a signed head to a chain of the store, unless a server adds
// to it meanwhile.
func (k *valkeyBackend) signChain(ctx context.Context, id string, s *signer) error {
	c, w := k.writerOf(id, s)
	_ = w.probe() // finds out whether to wait for a sync
	found, err := w.resume(c)
	switch {
	case err != nil:
		return err
	case !found:
		return errors.New("the store has no line of it")
	case len(c.pending) == 0:
		return nil
	}
	g := c.rotationGroup(w.notes, k.now())
	lines := slices.Collect(g.lines())
	ctx, stop := context.WithTimeout(ctx, valkeyTimeout)
	defer stop()
	end, err := w.add(ctx, lines, w.index.plan(w.lines, lines, k.now()))
	if err != nil {
		return err
	}
	if end != nil {
		return errBusy
	}
	w.remember(lines)
	err = w.sync(w.mark())
	return errors.Join(err, k.client.HSet(ctx, k.names.heads(), id, g.head).Err())
}

// headsToAttest returns the published head and the last signed head of each chain that the
// signer trusts. Both are needed: a process may be killed between signing a head and
// publishing it. A damaged chain is left out, and is then reported as not signed. Where a file
// cannot be read, that is returned, so that no key is replaced meanwhile.
func (k *files) headsToAttest(ctx context.Context, s *signer) (attestedHeads, error) {
	ids, err := k.ids()
	if err != nil {
		return nil, err
	}
	heads := attestedHeads{}
	for _, id := range ids {
		w := &fileWriter{backend: k, dir: filepath.Join(k.cfg.Dir, id)}
		published, err := (&fileChain{w.dir}).head(ctx)
		if err == nil {
			err = heads.addTrusted(s, id, published)
		}
		if err == nil {
			err = w.attestLast(heads, &chain{id: id, signer: s})
		}
		var unread *fs.PathError
		switch {
		case err == nil, errors.Is(err, errCompromised), errors.Is(err, fs.ErrNotExist):
		case errors.As(err, &unread):
			return nil, fmt.Errorf("reading the end of chain %s: %w", id, err)
		default:
			k.cfg.Logger.Warn("the end of an audit chain cannot be read", "chain", id, "err", err)
		}
	}
	return heads, nil
}

// attestLast adds the last signed head in the files of a chain. The writer needs no lock and
// no open file for that.
func (w *fileWriter) attestLast(heads attestedHeads, c *chain) error {
	all, err := numbers(w.dir)
	if err != nil {
		return err
	}
	last, err := w.lastHead(all, c)
	if err == nil {
		heads.addOnce(c.id, last.hash.String())
	}
	return err
}

// addTrusted adds a published head if the signer trusts it, and else returns why not.
func (a attestedHeads) addTrusted(s *signer, chain string, published []byte) error {
	l, err := parseLine(published)
	if err != nil {
		return err
	}
	if !s.signed(l, chain) {
		return s.errUnsigned(l, chain)
	}
	a.addOnce(chain, l.hash.String())
	return nil
}

// headsToAttest does for a store what that of files does. An error of the store is returned, so
// that no key is replaced while it is away. A published head that is missing or that is not ours
// says nothing of the end of the stream.
func (k *valkeyBackend) headsToAttest(ctx context.Context, s *signer) (attestedHeads, error) {
	chains, err := k.chains(ctx)
	if err != nil {
		return nil, err
	}
	heads := attestedHeads{}
	for _, stored := range chains {
		id := stored.id()
		published, err := stored.head(ctx)
		if err == nil {
			err = heads.addTrusted(s, id, published)
		} else if !errors.Is(err, errHead) {
			return nil, err
		}
		if err != nil {
			k.logger.Warn("the published head of an audit chain is not trusted", "chain", id, "err", err)
		}
		_, w := k.writerOf(id, s)
		err = w.backwards(ctx, func(l line) bool {
			if s.signed(l, id) {
				heads.addOnce(id, l.hash.String())
			}
			return l.note == nil || l.note.Head == nil
		})
		if err != nil && !errors.Is(err, errLine) {
			return nil, err
		}
	}
	return heads, nil
}
