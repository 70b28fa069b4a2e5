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
	"log/slog"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/transport/internal/atomicfile"
)

// A Rotation is the result of [Rotate].
type Rotation struct {
	Old, New ed25519.PublicKey
	// Signed has the chains that end with a signed head of the new key now, Busy those that a
	// process adds to, which signs with the new key from its next signed head on, and Unsigned
	// those that could not be signed, such as those that an old key signed which was
	// compromised before.
	Signed, Busy, Unsigned []string
}

// Rotate replaces the signing key of a trail of files, and of the trails in stores that servers
// sign with the key of the same folder. It adds a signed head of the new key to the chains that
// no process adds to. The files rotations.json, signing.key and signing.pub are written in this
// order, so that after a Rotate that was cut off either the old key or the new one signs. Servers
// that share a trail in a store need copies of all three.
//
// With compromised, chains that no head of the new key covers are not trusted any more, and no
// log resumes them. Chains at rest that a Rotate did not reach before it was cut off are among
// them.
func Rotate(ctx context.Context, cfg Config, compromised bool, stores ...ValkeyConfig) (r Rotation, err error) {
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
	rest, err := k.atRest(ctx, stores, &r)
	defer func() {
		for _, c := range rest {
			err = errors.Join(err, c.release())
		}
	}()
	if err != nil {
		return r, err
	}
	next, err := old.rotate(dir, compromised, k.cfg)
	if err != nil {
		return r, err
	}
	r.Old, r.New = old.public(), next.public()
	next.before = old.trusted()
	for _, c := range rest { // also when ctx has ended: later they cannot be signed
		r.add(c, c.sign(next), k.cfg.Logger)
	}
	return r, nil
}

// add sorts a chain by what came of signing it.
func (r *Rotation) add(c restingChain, err error, log *slog.Logger) {
	switch {
	case err == nil:
		r.Signed = append(r.Signed, c.id)
	case errors.Is(err, errBusy):
		r.Busy = append(r.Busy, c.id)
	default:
		log.Warn("an audit chain is not signed with the new key", "chain", c.id, "err", err)
		r.Unsigned = append(r.Unsigned, c.id)
	}
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
