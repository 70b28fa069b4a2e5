package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// A Checkpoint is a signed head of a chain up to which the chain was verified. With it the
// chain can be verified from there on: what is before it is not read again, so that a change
// there is found by a whole verification only. It is trusted as far as the file that it is
// stored in: someone who can write that file can hide changes before the head that they name.
type Checkpoint struct {
	File string `json:"file"` // the file or stream of the line of the head
	Line int    `json:"line"`
	Hash string `json:"hash"` // of that line
	Seq  uint64 `json:"seq"`  // of the last record before it
	Key  string `json:"key"`  // the public key in hexadecimal digits
	Time string `json:"time"` // when the head was signed

	First     uint64   `json:"first,omitempty"` // records before the oldest that was there
	Retired   uint64   `json:"retired,omitempty"`
	Lost      uint64   `json:"lost,omitempty"`
	Recovered int      `json:"recovered,omitempty"`
	Others    []string `json:"others,omitempty"` // chains that the chain names

	// RetiredFile is the last file that was deleted by policy, or was about to be, and
	// RetiredHash the hash of its last line.
	RetiredFile int    `json:"retired_file,omitempty"`
	RetiredHash string `json:"retired_hash,omitempty"`
}

// Records returns how many records the checkpoint covers.
func (c Checkpoint) Records() uint64 { return c.Seq - c.First - c.Lost }

// Checkpoints holds the checkpoints of a trail by the ids of chains.
type Checkpoints map[string]Checkpoint

// LoadCheckpoints reads checkpoints that were saved in a file, none if there is no file. A
// file that is damaged is an error; the caller may go on without checkpoints, which takes
// longer and finds more.
func LoadCheckpoints(path string) (Checkpoints, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Checkpoints{}, nil
	}
	if err != nil {
		return nil, err
	}
	var all Checkpoints
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// Save replaces the file of checkpoints. Readers find the old or the new ones, also after a
// crash.
func (all Checkpoints) Save(path string) error {
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(text, '\n'), 0o600)
}

// Covering returns the checkpoints that cover at least so many records: below that, reading
// the chain costs less than looking after its checkpoint.
func (all Checkpoints) Covering(records uint64) Checkpoints {
	some := Checkpoints{}
	for chain, c := range all {
		if c.Records() >= records {
			some[chain] = c
		}
	}
	return some
}

// Checkpoints returns the checkpoints of the chains that are whole, at their published heads.
// Save them for the next [Log.VerifyFrom].
func (r Report) Checkpoints() Checkpoints {
	all := Checkpoints{}
	for i := range r.Chains {
		if c := r.Chains[i].checkpoint; c != nil && r.Chains[i].Broken == nil {
			all[r.Chains[i].Chain] = *c
		}
	}
	return all
}

// VerifyFrom is like [Log.Verify], but verifies chains from their checkpoints on. A chain
// whose checkpoint is not in its place any more is verified as a whole. Of the records before
// a checkpoint, those count that the first line of the chain shows not to be deleted by policy
// since.
func (l *Log) VerifyFrom(ctx context.Context, from Checkpoints, trusted ...ed25519.PublicKey) (Report, error) {
	if err := l.finish(ctx); err != nil {
		return Report{}, err
	}
	return verify(ctx, l.backend, from, trusted)
}

// checkpoint returns the checkpoint at the signed head that was just accepted. It has all that
// the verifier would know there, so that the two ways of verifying report the same.
func (v *verifier) checkpoint(at place, l line) *Checkpoint {
	r := &v.report
	c := &Checkpoint{
		File: at.file, Line: at.line, Hash: v.prev, Seq: v.seq, Key: hex.EncodeToString(v.key), Time: l.note.Head.Time,
		First: v.first, Retired: r.Retired, Lost: r.Lost, Recovered: r.Recovered, Others: r.others,
	}
	if v.missing != nil {
		c.Retired = v.missing.After // end checks it
	}
	if v.retired != nil {
		c.RetiredFile, c.RetiredHash = v.retired.Through, v.retired.Hash
	}
	return c
}

// resume continues at a checkpoint, whose line is given, and reports whether it is there: in
// its place, with its hash and with a signature of a key that is still trusted.
func (v *verifier) resume(c Checkpoint, at place) bool {
	key, err := hex.DecodeString(c.Key)
	if err != nil || len(key) != ed25519.PublicKeySize || !v.trusts(key) || at.file != c.File || at.line != c.Line || at.open {
		return false
	}
	l, err := parseLine(at.text)
	if err != nil || l.hash.String() != c.Hash || !l.isHeadOf(key, v.report.Chain) || l.note.Head.Seq != c.Seq {
		return false
	}
	v.begun, v.key, v.prev, v.authentic = true, key, c.Hash, true
	v.seq, v.first = c.Seq, c.First
	v.report.Retired, v.report.Lost, v.report.Recovered, v.report.others = c.Retired, c.Lost, c.Recovered, c.Others
	if c.RetiredFile > 0 {
		v.retired = &retiredNote{Through: c.RetiredFile, Hash: c.RetiredHash}
	}
	v.accept(at, l)
	if at, err := time.Parse(timeFormat, c.Time); err == nil {
		v.report.From = at
	}
	return true
}

// walkFrom checks a chain from a checkpoint on; ok is false if that is not in its place.
func walkFrom(ctx context.Context, c stored, from Checkpoint, t trust, head []byte) (r ChainReport, ok bool, err error) {
	v := newVerifier(c.id(), t, head)
	first, err := firstOf(ctx, c)
	if err != nil || first.note == nil || first.note.File == nil {
		return v.report, false, err
	}
	for at, err := range c.linesFrom(ctx, from.File, from.Line) {
		switch {
		case err != nil:
			return v.report, false, err
		case v.begun:
			v.line(at)
		case !v.resume(from, at):
			return v.report, false, nil
		}
	}
	fewer := first.note.File.After > from.First
	if !v.begun || fewer && from.Lost > 0 { // some of the lost ones may be among those deleted
		return v.report, false, nil
	}
	if fewer {
		v.first, v.missing, v.origin = first.note.File.After, first.note.File, first.prev
	}
	v.end()
	return v.report, true, nil
}

// firstOf reads the first line of a chain, whose note is nil if there is none.
func firstOf(ctx context.Context, c stored) (line, error) {
	for at, err := range c.lines(ctx) {
		if err != nil {
			return line{}, err
		}
		l, _ := parseLine(at.text) // a whole verification reports the error
		return l, nil
	}
	return line{}, nil
}
