package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// attestedHeads are the signed heads with which chains ended when their key was found to be
// compromised: the hashes of their lines in hex, by chain. The new key signs the list before it
// replaces the old one. So a chain is trusted up to these heads though the new key has not
// signed in the chain itself: [Rotate] was cut off or failed there, or its server was killed
// before its next signed head.
type attestedHeads map[string][]string

// text returns the text that the signature of a list covers.
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

// A rotation is an entry of rotations.json: the note that chains have, too, and the heads that
// the new key attests, if the old one was compromised.
type rotation struct {
	rotationNote
	Heads          attestedHeads `json:"heads,omitempty"`
	HeadsSignature string        `json:"heads_sig,omitempty"` // by the new key
}

// attest signs a list of heads with the new key.
func (r *rotation) attest(heads attestedHeads, next ed25519.PrivateKey) {
	if len(heads) > 0 {
		r.Heads, r.HeadsSignature = heads, hex.EncodeToString(ed25519.Sign(next, heads.text(r.New)))
	}
}

// attestMore signs the list with more heads, and reports whether there are any.
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

// A trust holds the keys, and the heads that they attest, with which a trail is verified.
type trust struct {
	keys      []ed25519.PublicKey
	revoked   []ed25519.PublicKey // were trusted for following one of the keys, and then compromised
	rotations []rotation
}

// attested returns the heads that one of the keys attests.
func (t trust) attested() attestedHeads { return attested(t.rotations, t.keys) }

// learn takes in to which keys a chain was passed on, and which of them were compromised, and
// reports whether that changes what is trusted. The keys that were given are trusted in any case.
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

// isAmong reports whether a key is one of several.
func isAmong(keys []ed25519.PublicKey, key ed25519.PublicKey) bool {
	return slices.ContainsFunc(keys, func(k ed25519.PublicKey) bool { return k.Equal(key) })
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

// attestLast adds the last signed head in the files of a chain.
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

// addOnce adds the hash of a head, and reports whether it was missing.
func (a attestedHeads) addOnce(chain, hash string) bool {
	if slices.Contains(a[chain], hash) {
		return false
	}
	a[chain] = append(a[chain], hash)
	return true
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
