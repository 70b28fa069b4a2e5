package audit

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// A verifier walks along a chain.
type verifier struct {
	report      ChainReport
	trusted     []ed25519.PublicKey
	head        string
	headProblem string // why the head proves nothing
	headSeen    bool
	cutOff      bool  // the seal of a group was seen that is not whole
	ended       place // the last seal

	begun   bool
	key     ed25519.PublicKey
	prev    string // hex of the hash of the last line
	seq     uint64 // of the last record
	sealed  uint64 // the last record that a seal covers
	first   uint64 // records before the oldest file
	missing *fileNote
	origin  string      // the hash before the first line
	suspect *BreakError // what does not fit, until a later seal proves it was fine once
	retired *retiredNote
	marks   marks // since the last seal
}

// marks are what unsealed notes claim.
type marks struct {
	bytes    int64
	repaired int
	retired  *retiredNote
}

// line checks the next line.
func (v *verifier) line(at place) {
	l, err := parseLine(at.text)
	if v.suspect == nil {
		v.suspect = v.check(at, l, err)
	}
	v.marks.bytes += int64(len(at.text))
	if !at.open {
		v.marks.bytes++
	}
	isSeal := err == nil && !at.open && v.key != nil && l.isSealOf(v.key, v.report.Chain)
	switch {
	case isSeal && v.suspect == nil:
		v.accept(at, l)
	case isSeal && v.headSeen && !v.cutOff:
		v.cutOff = true // of a group that was never promised a crash left the seal and not all before it
	case isSeal && v.report.Broken == nil:
		v.report.Broken = v.suspect // more was promised, so this is no crash
	}
}

// check returns what is wrong with a line in its place. Once a line is wrong,
// all that follow are.
func (v *verifier) check(at place, l line, err error) *BreakError {
	wrong := func(format string, args ...any) *BreakError {
		return &BreakError{Chain: v.report.Chain, File: at.file, Line: at.line, Seq: max(v.seq, l.seq), Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case err != nil || at.open:
		return wrong("this is no line of a trail")
	case !v.begun:
		return v.begin(l, wrong)
	case l.seq > v.seq+1:
		return wrong("records %d to %d are missing", v.seq+1, l.seq-1)
	case l.seq != 0 && l.seq <= v.seq:
		return wrong("the record is not in its place, after record %d", v.seq)
	case l.prev != v.prev:
		return wrong("the line before it has another hash: one of the two was changed, or something between them is missing")
	}
	return v.note(l, wrong)
}

// begin checks the first line of the chain, or of what policy has left of it.
func (v *verifier) begin(l line, wrong func(string, ...any) *BreakError) *BreakError {
	if l.note == nil || l.note.File == nil {
		return wrong("the chain does not begin with a file's first line")
	}
	f := l.note.File
	key, err := hex.DecodeString(f.PublicKey)
	switch {
	case f.Version != formatVersion:
		return wrong("the format is version %d, which is not known", f.Version)
	case f.Chain != v.report.Chain:
		return wrong("this is a file of chain %s", f.Chain)
	case err != nil || len(key) != ed25519.PublicKeySize:
		return wrong("the public key is none")
	case !v.trusts(key):
		return wrong("it is signed with the key %s, which is not trusted", Fingerprint(key))
	case f.Number == 1 && (l.prev != digest{}.String() || f.After != 0):
		return wrong("the first file does not begin the chain")
	}
	v.begun, v.key, v.prev, v.origin = true, key, l.hash.String(), l.prev
	v.seq, v.first, v.sealed = f.After, f.After, f.After
	if f.Number > 1 {
		v.missing = f
	}
	return nil
}

func (v *verifier) trusts(key ed25519.PublicKey) bool {
	return slices.ContainsFunc(v.trusted, func(k ed25519.PublicKey) bool { return k.Equal(key) })
}

// note checks a line that follows the one before it, and takes it in.
func (v *verifier) note(l line, wrong func(string, ...any) *BreakError) *BreakError {
	switch {
	case l.note == nil:
		v.seq = l.seq
	case l.note.Seal != nil && !l.note.Seal.verify(v.key, v.report.Chain, l.prev):
		return wrong("the signature is wrong")
	case l.note.Seal != nil && l.note.Seal.Seq != v.seq:
		return wrong("it seals record %d, but the last one is %d", l.note.Seal.Seq, v.seq)
	case l.note.File != nil && (l.note.File.Chain != v.report.Chain || l.note.File.After != v.seq):
		return wrong("this file does not belong here")
	case l.note.Retired != nil:
		v.marks.retired = l.note.Retired
	case l.note.Repaired != nil:
		v.marks.repaired++
	}
	v.prev = l.hash.String()
	return nil
}

// accept takes in all that a seal covers.
func (v *verifier) accept(at place, l line) {
	v.sealed, v.ended = v.seq, place{file: at.file, line: at.line}
	v.headSeen = v.headSeen || string(at.text) == v.head
	r := &v.report
	r.Records, r.Last, r.Hash = v.sealed-v.first, v.sealed, v.prev
	r.Sealed, _ = time.Parse(timeFormat, l.note.Seal.Time) // signed, so we wrote it
	r.Repaired += v.marks.repaired
	if v.marks.retired != nil {
		v.retired = v.marks.retired
	}
	v.marks = marks{}
}

// end checks what only the whole chain can show. Lines that are wrong without
// any seal after them are what a crash left, unless the head knows better.
func (v *verifier) end() {
	r := &v.report
	r.Torn = v.marks.bytes
	if r.Broken != nil {
		return
	}
	whole := func(reason string) *BreakError {
		if v.suspect != nil {
			return v.suspect
		}
		return &BreakError{Chain: r.Chain, File: v.ended.file, Line: v.ended.line, Seq: v.sealed, Reason: reason}
	}
	switch {
	case !v.begun:
		r.Broken = whole("its first file is missing")
	case v.missing != nil:
		r.Broken = v.checkRetired()
	}
	switch {
	case r.Broken != nil:
	case v.headProblem != "":
		r.Broken = whole(v.headProblem)
	case !v.headSeen:
		r.Broken = whole(fmt.Sprintf("its end is missing: records after %d were promised", v.sealed))
	}
}

// checkRetired checks that the files before the first one went by policy.
func (v *verifier) checkRetired() *BreakError {
	f, gone := v.missing, v.retired
	switch {
	case gone == nil || gone.Through < f.Number-1:
		return &BreakError{Chain: v.report.Chain, Reason: fmt.Sprintf("the files before %06d%s are missing", f.Number, fileSuffix)}
	case gone.Through == f.Number-1 && gone.Hash != v.origin:
		return &BreakError{Chain: v.report.Chain, Reason: fmt.Sprintf("%06d%s does not follow the files that were deleted by policy", f.Number, fileSuffix)}
	}
	v.report.Retired = f.After
	return nil
}
