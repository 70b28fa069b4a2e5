package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// A Report is what checking a trail has shown.
type Report struct {
	Chains []ChainReport // in order of id
}

// A ChainReport is what checking one chain has shown.
type ChainReport struct {
	Chain   string
	Records uint64    // how many are signed and in place
	Last    uint64    // number of the last of them
	Sealed  time.Time // when the last of them was signed
	Hash    string    // SHA-256 of the last seal, in hex
	// Retired is the number of the last record that was deleted by policy, 0
	// when none was.
	Retired uint64
	// Repaired is how often bytes were cut off that a crash had left.
	Repaired int
	// Torn is how many bytes follow the last seal: what a process is just
	// writing, or left when it was killed. Nobody was told that they are kept.
	Torn int64
	// Broken is where the chain was tampered with, nil when it was not.
	Broken *BreakError
}

// A BreakError says where a chain is not what was written.
type BreakError struct {
	Chain  string
	File   string // "" when it is about the chain as a whole
	Line   int    // from 1 on; the line, or one beside it, is wrong
	Seq    uint64 // of the record there or the last one before
	Reason string
}

func (e *BreakError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("chain %s: %s", e.Chain, e.Reason)
	}
	return fmt.Sprintf("chain %s: %s line %d, record %d: %s", e.Chain, e.File, e.Line, e.Seq, e.Reason)
}

// Err is nil when all chains are whole, else where they break.
func (r Report) Err() error {
	var errs []error
	for i := range r.Chains {
		if b := r.Chains[i].Broken; b != nil {
			errs = append(errs, b)
		}
	}
	return errors.Join(errs...)
}

// Records is how many records are signed and in place.
func (r Report) Records() (n uint64) {
	for i := range r.Chains {
		n += r.Chains[i].Records
	}
	return n
}

// Hash stands for all that was checked, in hex: the hash of the last seal of
// the only chain, or of the list of those hashes.
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

// Verify checks the trail of a folder, also while it is in use. Seals must be
// signed with a trusted key; without any, with that of signing.pub in the
// folder. The error says that the trail could not be read; what is wrong with
// it is in the report.
func Verify(ctx context.Context, dir string, trusted ...ed25519.PublicKey) (Report, error) {
	return verify(ctx, newFiles(Config{Dir: dir}), trusted)
}

// Verify checks the trail that the log is part of; see the function [Verify].
func (l *Log) Verify(ctx context.Context, trusted ...ed25519.PublicKey) (Report, error) {
	return verify(ctx, l.keeper, trusted)
}

func verify(ctx context.Context, k keeper, trusted []ed25519.PublicKey) (Report, error) {
	chains, err := k.chains(ctx)
	if err != nil || len(chains) == 0 {
		return Report{}, err
	}
	if len(trusted) == 0 {
		key, err := k.publicKey()
		if err != nil {
			return Report{}, fmt.Errorf("reading the public key: %w", err)
		}
		trusted = []ed25519.PublicKey{key}
	}
	var r Report
	for _, c := range chains {
		one, err := verifyChain(ctx, c, trusted)
		if err != nil {
			return r, fmt.Errorf("reading chain %s: %w", c.id(), err)
		}
		r.Chains = append(r.Chains, one)
	}
	return r, nil
}

// verifyTries is how often a chain is checked that looks broken while its head
// moves: a process may have begun and deleted files as we read.
const verifyTries = 8

// verifyChain checks one chain. The head is read first: what is added
// meanwhile is behind it.
func verifyChain(ctx context.Context, c stored, trusted []ed25519.PublicKey) (r ChainReport, err error) {
	head, headErr := c.head(ctx)
	for range verifyTries {
		if r, err = walk(ctx, c, trusted, head, headErr); err != nil || r.Broken == nil {
			break
		}
		before := head
		if head, headErr = c.head(ctx); headErr == nil && bytes.Equal(head, before) {
			break // nobody wrote
		}
	}
	return r, err
}

// errHead is the problem of a chain whose head is missing or damaged.
var errHead = errors.New("the head is missing or damaged")

// walk checks one chain as it is.
func walk(ctx context.Context, c stored, trusted []ed25519.PublicKey, head []byte, headErr error) (ChainReport, error) {
	v := &verifier{report: ChainReport{Chain: c.id()}, trusted: trusted, head: string(head)}
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
