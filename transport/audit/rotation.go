package audit

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// rotationsFile is the file in the folder of the trail that holds how the signing key has
// replaced others: a JSON array of [rotation], the oldest first. It is written before the new
// key, so a rotation that was cut off leaves an entry that leads to no key. Such entries do no
// harm.
const rotationsFile = "rotations.json"

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

// newRotation returns the note with which the holder of a key passes on to another. Each
// holder of the old key can make one, also a thief; with compromised, what the old key signs
// is not trusted any more.
func newRotation(old ed25519.PrivateKey, next ed25519.PublicKey, compromised bool, now time.Time) rotationNote {
	r := rotationNote{
		Old: hex.EncodeToString(old.Public().(ed25519.PublicKey)), New: hex.EncodeToString(next),
		Time: formatTime(now), Compromised: compromised,
	}
	r.Signature = hex.EncodeToString(ed25519.Sign(old, r.signed()))
	return r
}

// signed returns the text that the signature covers.
func (r *rotationNote) signed() []byte {
	return fmt.Appendf(nil, "triptych audit rotated\n%s\n%s\n%s\n%t\n", r.Old, r.New, r.Time, r.Compromised)
}

// verify reports whether the holder of the old key made the note. It says nothing of whether
// the old key is trusted.
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

// isAmong reports whether a key is one of several. Keys are few, so a loop does.
func isAmong(keys []ed25519.PublicKey, key ed25519.PublicKey) bool {
	return slices.ContainsFunc(keys, func(k ed25519.PublicKey) bool { return k.Equal(key) })
}

// former returns the old keys of rotations, the newest first.
func former(rotations []rotationNote) []ed25519.PublicKey {
	var keys []ed25519.PublicKey
	for _, r := range slices.Backward(rotations) {
		keys = append(keys, publicKeyOf(r.Old))
	}
	return keys
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

// A rotation is an entry of rotations.json: the note that chains have, too, and the heads that
// the new key attests, if the old one was compromised.
type rotation struct {
	rotationNote
	Heads          attestedHeads `json:"heads,omitempty"`
	HeadsSignature string        `json:"heads_sig,omitempty"` // by the new key
}

// readRotations reads the rotations of a folder, none if there is no file. It checks no
// signature.
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

// writeRotations replaces the rotations of a folder. Readers find the old or the new ones.
func writeRotations(dir string, all []rotation) error {
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, rotationsFile), append(text, '\n'), 0o600)
}

// rotationsTo returns the rotations that lead to a key, the oldest first. Others are of a
// rotation that was cut off, or not ours. It follows at most as many as there are, so a circle
// of them ends.
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

// attestedHeads are the signed heads with which chains ended when their key was found to be
// compromised: the hashes of their lines in hex, by chain. The new key signs the list before it
// replaces the old one. So a chain is trusted up to these heads though the new key has not
// signed in the chain itself: [Rotate] was cut off or failed there, or its server was killed
// before its next signed head.
type attestedHeads map[string][]string

// text returns the text that the signature of a list covers: the new key, and the chains in
// order with their heads in the order of the list.
func (a attestedHeads) text(next string) []byte {
	text := fmt.Appendf(nil, "triptych audit heads\n%s\n", next)
	for _, chain := range slices.Sorted(maps.Keys(a)) {
		text = fmt.Appendf(text, "%s %s\n", chain, strings.Join(a[chain], " "))
	}
	return text
}

// has reports whether a line is one of the heads of a chain.
func (a attestedHeads) has(l line, chain string) bool {
	return slices.Contains(a[chain], l.hash.String())
}

// add adds the heads of another list.
func (a attestedHeads) add(other attestedHeads) {
	for chain, heads := range other {
		a[chain] = append(a[chain], heads...)
	}
}

// addOnce adds the hash of a head, and reports whether it was missing.
func (a attestedHeads) addOnce(chain, hash string) bool {
	if slices.Contains(a[chain], hash) {
		return false
	}
	a[chain] = append(a[chain], hash)
	return true
}

// attest signs a list of heads with the new key. An empty list needs no signature.
func (r *rotation) attest(heads attestedHeads, next ed25519.PrivateKey) {
	if len(heads) > 0 {
		r.Heads, r.HeadsSignature = heads, hex.EncodeToString(ed25519.Sign(next, heads.text(r.New)))
	}
}

// attestMore signs the list with more heads, and reports whether there are any that it did not
// have. Otherwise the entry stays as it is.
func (r *rotation) attestMore(heads attestedHeads, next ed25519.PrivateKey) (more bool) {
	merged := attestedHeads{}
	merged.add(r.Heads)
	for chain, hashes := range heads {
		for _, hash := range hashes {
			more = merged.addOnce(chain, hash) || more
		}
	}
	if more {
		r.attest(merged, next)
	}
	return more
}

// attested returns the heads that rotations to one of the trusted keys attest.
func attested(all []rotation, trusted []ed25519.PublicKey) attestedHeads {
	heads := attestedHeads{}
	for i := range all {
		r := &all[i]
		next := publicKeyOf(r.New)
		sig, err := hex.DecodeString(r.HeadsSignature)
		if len(r.Heads) == 0 || err != nil || next == nil || !isAmong(trusted, next) {
			continue
		}
		if ed25519.Verify(next, r.Heads.text(r.New), sig) {
			heads.add(r.Heads)
		}
	}
	return heads
}
