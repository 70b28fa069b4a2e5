package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
)

// A Report is the result of checking a trail. It is about the moment at which the trail was
// read: to know later that nothing has changed since, store [Report.Hash] elsewhere.
type Report struct {
	Chains []ChainReport // in order of id
}

// A ChainReport is the result of checking one chain. Where Broken is set, the numbers are of
// what is whole before the break; of a chain that is not trusted they are zero.
type ChainReport struct {
	Chain   string
	Records uint64    // how many are in place
	Last    uint64    // number of the last of them
	Signed  time.Time // when the last signed head was signed
	Hash    string    // SHA-256 of the last signed head, in hex
	// Unsigned is the number of records that are in place by their hashes and not
	// covered by a signed head yet: the last ones.
	Unsigned uint64
	// Retired is the number of the last record that was deleted by policy, 0
	// when none was.
	Retired uint64
	// Lost is the number of records that the store no longer had, as signed notes say.
	Lost uint64
	// Recovered counts the processes that found that the one before had not
	// closed the chain.
	Recovered int
	// Torn is the number of bytes behind the last whole line: what a process is just
	// writing, or left when it was killed. No answer depends on them.
	Torn int64
	// Broken says where the chain was tampered with, nil when it was not.
	Broken *BreakError

	// From is when the signed head was signed from which on the chain was verified, zero if
	// all of it was.
	From time.Time

	others     []string    // the chains that this one names
	checkpoint *Checkpoint // at the head that was published, nil if that was not seen
	// The keys that the chain was passed on to by a key that is trusted, and those of the latter
	// that were replaced because they were compromised.
	successors, compromised []ed25519.PublicKey
}

// UnsignedFrom returns the number of the first record that no signed head covers.
// It exists only if Unsigned is not 0.
func (r *ChainReport) UnsignedFrom() uint64 { return r.Last - r.Unsigned + 1 }

// A BreakError says where a chain is not what was written. It is data of a report, or an error
// among the records of a query; in both the rest is still read.
type BreakError struct {
	Chain  string
	File   string // "" for the chain as a whole
	Line   int    // from 1 on; the line, or one beside it, is wrong
	Seq    uint64 // of the record there or the last one before
	Reason string
	// Short is set when all lines are in place and only those at the end are missing. A
	// store that has lost its newest writes leaves chains like that, until their servers
	// notice.
	Short bool
	// Untrusted is set when the chain is as it was written, by a key that is not trusted.
	Untrusted bool
}

// Error returns the chain, the place in it as far as it is known, and the reason.
func (e *BreakError) Error() string {
	switch {
	case e.Chain == "":
		return e.Reason
	case e.File == "":
		return fmt.Sprintf("chain %s: %s", e.Chain, e.Reason)
	}
	return fmt.Sprintf("chain %s: %s line %d, record %d: %s", e.Chain, e.File, e.Line, e.Seq, e.Reason)
}

// Err returns where chains break, nil when all are whole. Each of the joined errors is a
// [*BreakError].
func (r Report) Err() error {
	var errs []error
	for i := range r.Chains {
		if b := r.Chains[i].Broken; b != nil {
			errs = append(errs, b)
		}
	}
	return errors.Join(errs...)
}

// Records returns how many records are in place, in all chains.
func (r Report) Records() (n uint64) {
	for i := range r.Chains {
		n += r.Chains[i].Records
	}
	return n
}

// Hash returns one hash for all that is signed, in hex: that of the last signed head of the
// only chain, or of the list of those hashes. It changes with each head that is signed.
func (r Report) Hash() string {
	if len(r.Chains) == 1 {
		return r.Chains[0].Hash
	}
	sum := sha256.New()
	for i := range r.Chains {
		_, _ = fmt.Fprintf(sum, "%s %s\n", r.Chains[i].Chain, r.Chains[i].Hash) // never fails
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Verify checks the trail of a folder, also while it is in use. Heads must be signed with a
// trusted key, or one that such a key has passed a chain on to; without any, with that of
// signing.pub in the folder, which finds changes by those who cannot write that file. The
// error says that the trail could not be read; what is wrong with it is in the report. It
// reads every line and takes no lock.
func Verify(ctx context.Context, dir string, trusted ...ed25519.PublicKey) (Report, error) {
	return verify(ctx, newFiles(Config{Dir: dir}), nil, trusted)
}

// Verify signs what was appended so far and checks the trail that the log is part of, all
// chains of other processes included; see the function [Verify]. An error of the signing is
// returned before anything is read.
func (l *Log) Verify(ctx context.Context, trusted ...ed25519.PublicKey) (Report, error) {
	if err := l.finish(ctx); err != nil {
		return Report{}, err
	}
	return verify(ctx, l.backend, nil, trusted)
}

// verify checks all chains of a backend, from the checkpoints on that there are. The keys of
// the backend are trusted if no other is given.
func verify(ctx context.Context, b backend, from Checkpoints, trusted []ed25519.PublicKey) (Report, error) {
	chains, err := b.chains(ctx)
	if err != nil {
		return Report{}, err
	}
	if len(chains) == 0 {
		return noChains(b), nil
	}
	t, err := b.trusted(trusted)
	if err != nil {
		return Report{}, err
	}
	r, t, err := verifyChains(ctx, b, chains, from, t)
	if err != nil {
		return r, err
	}
	return r, r.addMissing(func(id string) (bool, error) {
		d, ok := b.(deleter)
		if !ok {
			return false, nil
		}
		return d.deleted(ctx, id, t.keys)
	})
}

// verifyChains checks chains. Where one was passed on to another key by a key that is trusted,
// that is trusted for all: chains that were not are checked again with it. Where such a key
// was compromised later, all are checked again without it. That ends, since a key is added
// once and never comes back after it was revoked. It returns what is trusted then.
func verifyChains(ctx context.Context, b backend, chains []stored, from Checkpoints, t trust) (r Report, _ trust, err error) {
	reports := make([]*ChainReport, len(chains)) // nil for a chain that is to be checked
	given := t.keys
	for again := true; again; {
		again = false
		revoked := len(t.revoked)
		for i, c := range chains {
			if reports[i] != nil {
				continue
			}
			one, err := verifyChain(ctx, c, from, t)
			if err != nil {
				return r, t, fmt.Errorf("reading chain %s: %w", c.id(), err)
			}
			reports[i] = &one
			again = t.learn(&one, given) || again
		}
		for i, one := range reports {
			if len(t.revoked) > revoked || again && one.Broken != nil && one.Broken.Untrusted {
				reports[i] = nil
			}
		}
	}
	for i, one := range reports {
		if one.Broken != nil {
			gone, err := isGone(ctx, b, chains[i].id())
			if err != nil {
				return r, t, err
			}
			if gone {
				continue // it was deleted by policy while it was read
			}
		}
		r.Chains = append(r.Chains, *one)
	}
	return r, t, nil
}

// isGone reports whether a backend no longer lists a chain. It is called for chains that look
// broken only, for listing them costs a round trip in a store.
func isGone(ctx context.Context, b backend, id string) (bool, error) {
	chains, err := b.chains(ctx)
	return !slices.ContainsFunc(chains, func(c stored) bool { return c.id() == id }), err
}

// noChains is the report of a trail without chains. It is whole only if there has
// never been one.
func noChains(b backend) Report {
	if !b.began() {
		return Report{}
	}
	return Report{Chains: []ChainReport{{Broken: &BreakError{
		Reason: "there is a signing key and no chain: the folders of all chains are gone",
	}}}}
}

// A deleter is a backend that deletes chains as a whole by policy. deleted reports whether it
// did so, as one of the keys has signed.
type deleter interface {
	deleted(ctx context.Context, id string, trusted []ed25519.PublicKey) (bool, error)
}

// addMissing adds the chains that others name and that do not exist, unless they were deleted
// by policy. Only names that a signed head covers count.
func (r *Report) addMissing(deleted func(id string) (bool, error)) error {
	there := map[string]bool{}
	for i := range r.Chains {
		there[r.Chains[i].Chain] = true
	}
	for i := range r.Chains {
		for _, id := range r.Chains[i].others {
			if there[id] {
				continue
			}
			there[id] = true
			gone, err := deleted(id)
			if err != nil {
				return fmt.Errorf("reading whether chain %s was deleted: %w", id, err)
			}
			if !gone {
				r.Chains = append(r.Chains, ChainReport{Chain: id, Broken: &BreakError{
					Chain: id, Reason: fmt.Sprintf("it is gone: chain %s names it", r.Chains[i].Chain),
				}})
			}
		}
	}
	return nil
}

// verifyTries limits how often a chain is checked that looks broken while its head
// changes: a process may have begun and deleted files meanwhile.
const verifyTries = 8

// verifyChain syncs and checks one chain. The head is read first: what is added meanwhile is
// behind it. A chain that looks broken is checked again if a process has written to it, from
// its beginning: a checkpoint is a short cut and never the reason for a break.
func verifyChain(ctx context.Context, c stored, from Checkpoints, t trust) (r ChainReport, err error) {
	if err := c.flush(); err != nil {
		return ChainReport{Chain: c.id()}, err
	}
	head, headErr := c.head(ctx)
	if at, ok := from[c.id()]; ok && headErr == nil {
		if r, ok, err = walkFrom(ctx, c, at, t, head); err != nil || ok && r.Broken == nil {
			return r, err
		}
	}
	for range verifyTries {
		if r, err = walk(ctx, c, t, head, headErr); err != nil || r.Broken == nil {
			break
		}
		before := head
		if head, headErr = c.head(ctx); headErr == nil && bytes.Equal(head, before) {
			break // no process wrote
		}
	}
	return r, err
}

// walk checks one chain as it is. headErr is why there is no head: errHead is part of the
// result, any other error ends the verification.
func walk(ctx context.Context, c stored, t trust, head []byte, headErr error) (ChainReport, error) {
	v := newVerifier(c.id(), t, head)
	switch {
	case errors.Is(headErr, errHead):
		v.headProblem = headErr.Error()
	case headErr != nil:
		return v.report, headErr
	}
	for at, err := range c.lines(ctx) {
		if err != nil {
			return v.report, err
		}
		v.line(at)
	}
	v.end()
	return v.report, nil
}

// ReadPublicKey reads a public key to verify a trail with from a PEM file, such as signing.pub
// in the folder of the trail, or a copy of it that was taken elsewhere.
func ReadPublicKey(path string) (ed25519.PublicKey, error) { return keyfile.ReadPublic(path) }

// Fingerprint returns a short name of a public key, for people to compare: "SHA256:" and the
// SHA-256 of its 32 bytes in hexadecimal digits.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return "SHA256:" + hex.EncodeToString(sum[:])
}
