package audit

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
)

// A signer is the signing key of a trail and the keys before it. A chain that is added to has
// one; it changes in place when the key is rotated meanwhile, see [Log.renewSigner].
type signer struct {
	key       ed25519.PrivateKey
	rotations []rotationNote  // that lead to the key, the oldest first
	attested  attestedHeads   // that count as signed by a trusted key
	stamp     filestamp.Stamp // of the file of the key when it was read; zero if it was made then
}

// loadSigner reads the signing key of a folder and the rotations that lead to it, making a key
// if there is none. A public key that was replaced by a rotation is written again: a rotation
// that was cut off is completed so.
func loadSigner(dir string) (*signer, error) {
	path := filepath.Join(dir, keyfile.PrivateName)
	stamp, err := filestamp.Stat(path) // before the key: if that changes in between, it is read again
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key, err := keyfile.Load(dir)
	if err != nil {
		return nil, err
	}
	all, err := readRotations(dir)
	if err != nil {
		return nil, err
	}
	s := &signer{key: key, stamp: stamp}
	s.rotations = rotationsTo(s.public(), all)
	s.attested = attested(all, s.trusted())
	return s, s.renewPublic(dir)
}

// renewPublic replaces the public key of a folder if it is one before that of the signer: a
// rotation may have been cut off after it has replaced the private key.
func (s *signer) renewPublic(dir string) error {
	there, err := keyfile.ReadPublic(filepath.Join(dir, keyfile.PublicName))
	if err != nil || !isAmong(former(s.rotations), there) {
		return nil // keyfile.Public reports the error
	}
	return keyfile.ReplacePublic(dir, s.public())
}

// renewed returns the signer of a folder whose key was rotated since it was read, nil if it
// was not. As long as the file of the key is the same, by its stamp, nothing is read. A key
// that no rotation leads to is an error: a log must not go on with a key that verifiers cannot
// trust.
func (s *signer) renewed(dir string) (*signer, error) {
	now, err := filestamp.Stat(filepath.Join(dir, keyfile.PrivateName))
	if err != nil || now == s.stamp {
		return nil, err
	}
	next, err := loadSigner(dir)
	if err != nil {
		return nil, err
	}
	if next.public().Equal(s.public()) {
		s.stamp = next.stamp
		return nil, nil
	}
	if !isAmong(next.keys(), s.public()) {
		return nil, errNoPath
	}
	return next, nil
}

// errNoPath is returned when the file of the signing key has another key that no rotation
// leads to.
var errNoPath = errors.New("the signing key was replaced, and " + rotationsFile + " does not say by which: use triptych audit rotate-key, and copy both files")

// public returns the public key.
func (s *signer) public() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

// keys returns the public key and then all before it, the newest first, compromised ones
// included.
func (s *signer) keys() []ed25519.PublicKey {
	return append([]ed25519.PublicKey{s.public()}, former(s.rotations)...)
}

// trusted returns the public key and then those before it up to one that was compromised. What
// only an older one has signed, the thief may have signed.
func (s *signer) trusted() []ed25519.PublicKey {
	return append([]ed25519.PublicKey{s.public()}, former(uncompromised(s.rotations))...)
}

// signed reports whether a line is a signed head of a chain, by a key that is trusted or one that
// is attested: the signer goes on behind it, and so signs all that is before it.
func (s *signer) signed(l line, chain string) bool {
	return isHeadOfAny(s.trusted(), l, chain) || s.attested.has(l, chain) && s.former(l, chain)
}

// former reports whether a line is a signed head of a chain, by a key before that of the signer.
func (s *signer) former(l line, chain string) bool {
	return isHeadOfAny(former(s.rotations), l, chain)
}

// isForeign reports whether a note passes a chain from a key of the signer on to one that is
// none. Only the holder of the old key can make such a note, so it was stolen.
func (s *signer) isForeign(r *rotationNote) bool {
	old, next := publicKeyOf(r.Old), publicKeyOf(r.New)
	return old != nil && next != nil && isAmong(s.keys(), old) && !isAmong(s.keys(), next) && r.verify()
}

// errCompromised is returned for a chain that a signer must not go on with: who stole the key
// may have written it.
var errCompromised = errors.New("only a key that was compromised has signed its end")

// errUnsigned returns why a line is no head that the signer goes on behind.
func (s *signer) errUnsigned(l line, chain string) error {
	if s.former(l, chain) {
		return errCompromised
	}
	return errors.New("its end is not signed with our key")
}

// A trust holds the keys, and the heads that they attest, with which a trail is verified. It
// grows while chains are read: see [trust.learn].
type trust struct {
	keys      []ed25519.PublicKey
	revoked   []ed25519.PublicKey // were trusted for following one of the keys, and then compromised
	rotations []rotation
}

// trustedIn returns what the chains of a folder's trail are trusted with: some public keys or,
// if there are none, that of the folder and those before it up to one that was compromised;
// besides, the heads that these attest. It writes nothing: a trail can be verified in a folder
// that is read-only.
func trustedIn(dir string, keys []ed25519.PublicKey) (trust, error) {
	all, err := readRotations(dir)
	if err != nil {
		return trust{}, err
	}
	if len(keys) == 0 {
		public, err := keyfile.Public(dir)
		if err != nil {
			return trust{}, fmt.Errorf("reading the public key: %w", err)
		}
		keys = append([]ed25519.PublicKey{public}, former(uncompromised(rotationsTo(public, all)))...)
	}
	return trust{keys: keys, rotations: all}, nil
}

// attested returns the heads that one of the keys attests.
func (t trust) attested() attestedHeads { return attested(t.rotations, t.keys) }

// learn takes in to which keys a chain was passed on, and which of them were compromised, and
// reports whether that changes what is trusted. The keys that were given are trusted in any
// case. Slices are replaced and not changed: verifiers have the old ones.
func (t *trust) learn(r *ChainReport, given []ed25519.PublicKey) (changed bool) {
	for _, key := range r.compromised {
		if !isAmong(given, key) && !isAmong(t.revoked, key) {
			t.revoked, changed = append(slices.Clip(t.revoked), key), true
		}
	}
	for _, key := range r.successors {
		if !isAmong(t.keys, key) && !isAmong(t.revoked, key) {
			t.keys, changed = append(slices.Clip(t.keys), key), true
		}
	}
	t.keys = slices.DeleteFunc(slices.Clone(t.keys), func(key ed25519.PublicKey) bool { return isAmong(t.revoked, key) })
	return changed
}
