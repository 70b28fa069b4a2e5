package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/transport/internal/atomicfile"
)

// A Rotation is the result of [Rotate].
type Rotation struct {
	Old, New ed25519.PublicKey
	// Signed has the chains of the folder that end with a signed head of the new key now, and
	// Busy those that a process adds to, or that could not be signed. A process signs with
	// the new key from its next signed head on.
	Signed, Busy []string
}

// Rotate replaces the signing key of a trail. The files rotations.json, signing.key and
// signing.pub are written in this order, so that after a Rotate that was cut off either the old key
// or the new one signs. Servers that share a trail in a store need copies of all three. With
// compromised, chains that no head of the new key covers are not trusted any more.
func Rotate(ctx context.Context, cfg Config, compromised bool) (r Rotation, err error) {
	k := newFiles(cfg)
	dir := k.cfg.Dir
	if err := k.checkDir(); err != nil {
		return r, err
	}
	if _, err := readKey(filepath.Join(dir, keyFile)); errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("there is no signing key in %s", dir)
	}
	lock := flock.New(filepath.Join(dir, rotateLock), flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return r, errors.Join(errors.New("the signing key is being rotated"), err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	old, err := loadSigner(dir)
	if err != nil {
		return r, err
	}
	next, err := old.rotate(dir, compromised, k.cfg)
	if err != nil {
		return r, err
	}
	r.Old, r.New = old.public(), next.public()
	return r, k.signAll(ctx, next, &r)
}

// rotate writes the files of a new key.
func (s *signer) rotate(dir string, compromised bool, cfg Config) (*signer, error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	all, err := readRotations(dir)
	if err != nil {
		return nil, err
	}
	rotations, err := json.MarshalIndent(append(all, newRotation(s.key, public, compromised, cfg.Now())), "", "\t")
	if err != nil {
		return nil, err
	}
	for _, file := range []struct {
		name string
		text []byte
	}{
		{rotationsFile, append(rotations, '\n')},
		{keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})},
	} {
		if err := atomicfile.Write(filepath.Join(dir, file.name), file.text, 0o600); err != nil {
			return nil, err
		}
	}
	return loadSigner(dir) // which replaces the public key
}

// signAll has all chains of the folder that no process adds to end with a signed head of the
// new key.
func (k *files) signAll(ctx context.Context, s *signer, r *Rotation) error {
	ids, err := k.ids()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := k.signChain(id, s); err != nil {
			k.cfg.Logger.Warn("an audit chain is not signed with the new key yet", "chain", id, "err", err)
			r.Busy = append(r.Busy, id)
			continue
		}
		r.Signed = append(r.Signed, id)
	}
	return nil
}

// errBusy is returned for a chain that a process adds to.
var errBusy = errors.New("a process adds to it")

// signChain adds the rotation and a signed head to a chain.
func (k *files) signChain(id string, s *signer) (err error) {
	lock := flock.New(filepath.Join(k.cfg.Dir, id, lockFile), flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return errors.Join(errBusy, err)
	}
	c := &chain{id: id, signer: s}
	w, err := k.resume(c, lock, k.cfg.Now())
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if len(c.pending) == 0 {
		return nil
	}
	g := &group{data: c.addRotations(nil)}
	for _, n := range w.notes { // of what a crash has left
		g.data = c.add(g.data, n.body())
	}
	g.sign(c, k.cfg.Now())
	if err := w.write(g, c); err != nil {
		return err
	}
	return errors.Join(w.sync(w.mark()), w.publish(g.head))
}
