package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
)

// rotateLock is the name of the file that a process locks while it rotates the key.
const rotateLock = "rotate.lock"

// A Rotation is the result of [Rotate] and [ResumeRotation]. The lists hold the ids of chains;
// each chain that was there at the beginning is in one of them. Beside an error it says what
// was done before that.
type Rotation struct {
	Old, New ed25519.PublicKey // Old is nil for ResumeRotation
	// Signed has the chains that end with a signed head of the new key now, and Busy those that a
	// process adds to, which signs with the new key from its next signed head on.
	Signed, Busy []string
	// Unsigned has the chains that could not be signed, such as on a full disk. What is in them
	// is trusted all the same; ResumeRotation signs them when the cause is gone.
	Unsigned []string
	// Untrusted has the chains that stay as they are, since only a key that was compromised
	// before has signed their ends.
	Untrusted []string
}

// Rotate replaces the signing key of a trail of files, and of the trails in stores that servers
// sign with the key of the same folder. It adds a signed head of the new key to the chains that
// no process adds to. The files rotations.json, signing.key and signing.pub are written in this
// order, so that after a Rotate that was cut off either the old key or the new one signs; with
// the new one, [ResumeRotation] signs what was not reached. Servers that share a trail in a store
// need copies of all three.
//
// With compromised, chains are trusted up to where they end now, and in what the new key signs:
// the new key attests their last signed heads in rotations.json before it replaces the old one, and
// right after that those that processes have signed meanwhile. No log goes on with a chain that has
// another head of the old key behind these.
func Rotate(ctx context.Context, cfg Config, compromised bool, stores ...ValkeyConfig) (r Rotation, err error) {
	err = whileRotating(cfg, func(k *files, old *signer) (err error) {
		rest, err := k.atRest(ctx, stores, &r)
		defer func() { err = errors.Join(err, release(rest)) }()
		if err != nil {
			return err
		}
		heads := attestedHeads{}
		if compromised {
			if heads, err = k.allHeads(ctx, old, stores); err != nil {
				return err
			}
		}
		next, err := old.rotate(k.cfg, compromised, heads)
		if err != nil {
			return err
		}
		r.Old, r.New = old.public(), next.public()
		if compromised {
			next = k.attestAgain(ctx, old, next, stores)
		}
		r.sign(rest, next, k.cfg.Logger)
		return err
	})
	return r, err
}

// ResumeRotation signs the chains with the present key that no process adds to and that a
// [Rotate] did not sign, because it was cut off or because they could not be written. It makes no
// key, and may be repeated.
func ResumeRotation(ctx context.Context, cfg Config, stores ...ValkeyConfig) (r Rotation, err error) {
	err = whileRotating(cfg, func(k *files, s *signer) (err error) {
		rest, err := k.atRest(ctx, stores, &r)
		defer func() { err = errors.Join(err, release(rest)) }()
		if err != nil {
			return err
		}
		r.New = s.public()
		r.sign(rest, s, k.cfg.Logger)
		return err
	})
	return r, err
}

// whileRotating calls a function with the signer of a folder, while no other process rotates
// its key. It makes no key: a folder without one is an error.
func whileRotating(cfg Config, use func(*files, *signer) error) error {
	k := newFiles(cfg)
	dir := k.cfg.Dir
	if err := k.checkDir(); err != nil {
		return err
	}
	if _, err := keyfile.Private(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no signing key in %s", dir)
	}
	lock := flock.New(filepath.Join(dir, rotateLock), flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return errors.Join(errors.New("the signing key is being rotated"), err)
	}
	s, err := loadSigner(dir)
	if err == nil {
		err = use(k, s)
	}
	return errors.Join(err, lock.Close())
}

// release lets processes add to chains again.
func release(rest []restingChain) (err error) {
	for _, c := range rest {
		err = errors.Join(err, c.release())
	}
	return err
}

// sign signs chains, also when the caller's context has ended: the key is replaced by then.
func (r *Rotation) sign(rest []restingChain, s *signer, log *slog.Logger) {
	for _, c := range rest {
		r.add(c, c.sign(s), log)
	}
}

// add sorts a chain by what came of signing it. Only a cause that someone can remove is
// logged.
func (r *Rotation) add(c restingChain, err error, log *slog.Logger) {
	switch {
	case err == nil:
		r.Signed = append(r.Signed, c.id)
	case errors.Is(err, errBusy):
		r.Busy = append(r.Busy, c.id)
	case errors.Is(err, errCompromised):
		r.Untrusted = append(r.Untrusted, c.id)
	default:
		log.Warn("an audit chain is not signed with the new key", "chain", c.id, "err", err)
		r.Unsigned = append(r.Unsigned, c.id)
	}
}

// allHeads returns the last signed heads of all chains, those that processes add to included.
func (k *files) allHeads(ctx context.Context, s *signer, stores []ValkeyConfig) (attestedHeads, error) {
	heads, err := k.headsToAttest(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, cfg := range stores {
		stored, err := newValkeyBackend(cfg).headsToAttest(ctx, s)
		if err != nil {
			return nil, err
		}
		heads.add(stored)
	}
	return heads, nil
}

// attestAgain attests the heads, too, that processes have signed with the old key while it was
// replaced, and returns the new signer with these. A process that is just writing such a head may
// come after it; that head is trusted once the process has signed another. The key is replaced by
// now, so an error is no reason to stop.
func (k *files) attestAgain(ctx context.Context, old, next *signer, stores []ValkeyConfig) *signer {
	again, err := k.attestMore(ctx, old, next, stores)
	if err != nil {
		k.cfg.Logger.Warn("the ends of audit chains could not be read again after the key was replaced", "err", err)
		return next
	}
	return again
}

// attestMore adds the heads with which chains end to those that the key of a signer attests.
func (k *files) attestMore(ctx context.Context, old, next *signer, stores []ValkeyConfig) (*signer, error) {
	heads, err := k.allHeads(ctx, old, stores)
	if err != nil {
		return nil, err
	}
	all, err := readRotations(k.cfg.Dir)
	if err != nil {
		return nil, err
	}
	public := hex.EncodeToString(next.public())
	i := slices.IndexFunc(all, func(r rotation) bool { return r.New == public })
	if i < 0 {
		return nil, errors.New(rotationsFile + " has no rotation to the signing key")
	}
	if !all[i].attestMore(heads, next.key) {
		return next, nil
	}
	if err := writeRotations(k.cfg.Dir, all); err != nil {
		return nil, err
	}
	return loadSigner(k.cfg.Dir)
}

// rotate writes the files of a new key and returns its signer. The rotation is on disk before
// the key is: a process that finds the new key always finds what leads to it.
func (s *signer) rotate(cfg Config, compromised bool, heads attestedHeads) (*signer, error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	all, err := readRotations(cfg.Dir)
	if err != nil {
		return nil, err
	}
	latest := rotation{rotationNote: newRotation(s.key, public, compromised, cfg.Now())}
	latest.attest(heads, key)
	if err := writeRotations(cfg.Dir, append(all, latest)); err != nil {
		return nil, err
	}
	if err := keyfile.Replace(cfg.Dir, key); err != nil {
		return nil, err
	}
	return loadSigner(cfg.Dir) // which replaces the public key
}
