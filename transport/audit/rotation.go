package audit

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/atomicfile"
)

// A rotationNote says, with a signature of the old key, that a new key signs from here on. It
// is made once and is the same in all chains, so that a server that has the new key can add it
// to its chain without the old one, also again after a store has lost it.
type rotationNote struct {
	Old  string `json:"old"` // hex of the public keys
	New  string `json:"new"`
	Time string `json:"time"`
	// Compromised is set if heads that only the old key has signed are not trusted any more.
	Compromised bool   `json:"compromised,omitempty"`
	Signature   string `json:"sig"`
}

// signed returns the text that the signature covers.
func (r *rotationNote) signed() []byte {
	return fmt.Appendf(nil, "triptych audit rotated\n%s\n%s\n%s\n%t\n", r.Old, r.New, r.Time, r.Compromised)
}

// verify reports whether the holder of the old key made the note.
func (r *rotationNote) verify() bool {
	old, next := publicKeyOf(r.Old), publicKeyOf(r.New)
	sig, err := hex.DecodeString(r.Signature)
	return err == nil && old != nil && next != nil && ed25519.Verify(old, r.signed(), sig)
}

// publicKeyOf decodes a public key, nil if it is none.
func publicKeyOf(text string) ed25519.PublicKey {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil
	}
	return key
}

// A signer is the signing key of a trail and the keys before it.
type signer struct {
	key       ed25519.PrivateKey
	rotations []rotationNote // that lead to the key, the oldest first
	attested  attestedHeads  // that count as signed by a trusted key
	stamp     fs.FileInfo    // of the file of the key when it was read
}

// public returns the public key.
func (s *signer) public() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

// keys returns the public key and then those before it, the newest first.
func (s *signer) keys() []ed25519.PublicKey {
	return append([]ed25519.PublicKey{s.public()}, former(s.rotations)...)
}

// former returns the old keys of rotations, the newest first.
func former(rotations []rotationNote) []ed25519.PublicKey {
	var keys []ed25519.PublicKey
	for _, r := range slices.Backward(rotations) {
		keys = append(keys, publicKeyOf(r.Old))
	}
	return keys
}

// trusted returns the public key and then those before it up to one that was compromised.
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

// isForeign reports whether a note passes a chain from a key of the signer on to one that is none.
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

// isHeadOfAny reports whether a line is a head of a chain that one of the keys has signed.
func isHeadOfAny(keys []ed25519.PublicKey, l line, chain string) bool {
	return slices.ContainsFunc(keys, func(key ed25519.PublicKey) bool { return l.isHeadOf(key, chain) })
}

// uncompromised returns the rotations after the last one with which a key was compromised.
func uncompromised(path []rotationNote) []rotationNote {
	for i, r := range slices.Backward(path) {
		if r.Compromised {
			return path[i+1:]
		}
	}
	return path
}

// rotationsTo returns the rotations that lead to a key, the oldest first. Others are of a
// rotation that was cut off, or not ours.
func rotationsTo(key ed25519.PublicKey, all []rotation) []rotationNote {
	var path []rotationNote
	want := hex.EncodeToString(key)
	for range all {
		i := slices.IndexFunc(all, func(r rotation) bool { return r.New == want && r.verify() })
		if i < 0 {
			break
		}
		path = append(path, all[i].rotationNote)
		want = all[i].Old
	}
	slices.Reverse(path)
	return path
}

// readRotations reads the rotations of a folder, none if there is no file.
func readRotations(dir string) (all []rotation, err error) {
	path := filepath.Join(dir, rotationsFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// writeRotations replaces the rotations of a folder.
func writeRotations(dir string, all []rotation) error {
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, rotationsFile), append(text, '\n'), 0o600)
}

// trustedIn returns what the chains of a folder's trail are trusted with: some public keys or,
// if there are none, that of the folder and those before it up to one that was compromised;
// besides, the heads that these attest.
func trustedIn(dir string, keys []ed25519.PublicKey) (trust, error) {
	all, err := readRotations(dir)
	if err != nil {
		return trust{}, err
	}
	if len(keys) == 0 {
		public, err := publicKeyIn(dir)
		if err != nil {
			return trust{}, fmt.Errorf("reading the public key: %w", err)
		}
		keys = append([]ed25519.PublicKey{public}, former(uncompromised(rotationsTo(public, all)))...)
	}
	return trust{keys: keys, rotations: all}, nil
}

// errNoPath is returned when the file of the signing key has another key that no rotation
// leads to.
var errNoPath = errors.New("the signing key was replaced, and " + rotationsFile + " does not say by which: use triptych audit rotate-key, and copy both files")

// renewed returns the signer of a folder whose key was rotated since it was read, nil if it was
// not.
func (s *signer) renewed(dir string) (*signer, error) {
	now, err := os.Stat(filepath.Join(dir, keyFile))
	if err != nil {
		return nil, err
	}
	if s.stamp != nil && os.SameFile(s.stamp, now) && s.stamp.ModTime().Equal(now.ModTime()) && s.stamp.Size() == now.Size() {
		return nil, nil
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

// renewSigner makes the chain go on with the key of the folder if that was rotated. The caller
// holds writing.
func (l *Log) renewSigner() {
	next, err := l.backend.renewedSigner(l.chain.signer)
	switch {
	case err != nil && err.Error() != l.renewErr:
		l.renewErr = err.Error()
		l.logger.Warn("the audit trail is signed with the key as before", "err", err)
	case err != nil:
	case next != nil:
		l.renewErr = ""
		l.logger.Info("the audit trail is signed with a new key", "key", Fingerprint(next.public()))
		*l.chain.signer = *next
		l.chain.pending = next.rotations
	}
}

// addRotations appends the rotations that the chain must note before the next signed head.
func (c *chain) addRotations(dst []byte) []byte {
	for i := range c.pending {
		dst = c.add(dst, note{Rotated: &c.pending[i]}.body())
	}
	c.pending = nil
	return dst
}

// newRotation returns the note with which the holder of a key passes on to another.
func newRotation(old ed25519.PrivateKey, next ed25519.PublicKey, compromised bool, now time.Time) rotationNote {
	r := rotationNote{
		Old: hex.EncodeToString(old.Public().(ed25519.PublicKey)), New: hex.EncodeToString(next),
		Time: formatTime(now), Compromised: compromised,
	}
	r.Signature = hex.EncodeToString(ed25519.Sign(old, r.signed()))
	return r
}
