package audit

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
	"time"
)

// A verifier checks the lines of a chain one after the other, in constant memory but for what
// notes say. What lines state is believed only when a signed head covers it: until then it
// waits in claims, and a line that does not fit in suspect.
//
//	line      for each line: check, then accept if it is a signed head
//	  check   begin for the first line, note for those that follow
//	  accept  everything so far is signed
//	end       what only the whole chain can show
type verifier struct {
	report      ChainReport
	trusted     []ed25519.PublicKey
	revoked     []ed25519.PublicKey // are not trusted for following a trusted key
	attested    attestedHeads
	head        string
	headProblem string // why the head proves nothing
	headSeen    bool
	cutOff      bool  // a signed head was seen whose lines are not whole
	ended       place // the last signed head

	begun     bool
	key       ed25519.PublicKey // that signs here
	authentic bool              // the key is trusted, or follows one that is
	untrusted *BreakError       // what is signed so far is not trusted; nil while it is
	prev      string            // hex of the hash of the last line
	seq       uint64            // of the last record
	signed    uint64            // the last record that a signed head covers
	first     uint64            // records before the oldest file
	missing   *fileNote
	origin    string      // the hash before the first line
	suspect   *BreakError // the first line that does not fit, until a signed head follows
	torn      int64       // bytes from suspect on
	retired   *retiredNote
	claims    claims // since the last signed head
}

// claims holds the contents of notes that no signed head covers yet.
type claims struct {
	recovered int
	retired   *retiredNote
	others    []string
	lost      []lostNote
}

// newVerifier returns a verifier of a chain with the head that was published last.
func newVerifier(chain string, t trust, head []byte) *verifier {
	return &verifier{report: ChainReport{Chain: chain}, trusted: t.keys, revoked: t.revoked, attested: t.attested(), head: string(head)}
}

// line checks the next line. The first that does not fit is remembered, and is a break only if
// a signed head comes behind it: a crash leaves the like at the end.
func (v *verifier) line(at place) {
	l, err := parseLine(at.text)
	if v.suspect == nil {
		v.suspect = v.check(at, l, err)
	}
	if v.suspect != nil {
		v.torn += int64(len(at.text))
		if !at.open {
			v.torn++
		}
	}
	isHead := err == nil && !at.open && v.key != nil && l.isHeadOf(v.key, v.report.Chain)
	switch {
	case isHead && v.suspect == nil:
		v.accept(at, l)
	case isHead && v.headSeen && !v.cutOff:
		v.cutOff = true // a crash left a signed head that was not synced, and not all before it
	case isHead && v.report.Broken == nil:
		v.report.Broken = v.suspect // more was published, so this is no crash
	}
}

// check returns what is wrong with a line in its place, nil if nothing is. Once a line is
// wrong, all that follow are, so it is not called for those.
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

// begin checks the first line of the chain, or of what policy has left of it. A chain whose
// key is not trusted is checked all the same: it may be passed on to one that is.
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
	case f.Number == 1 && (l.prev != digest{}.String() || f.After != 0):
		return wrong("the first file does not begin the chain")
	}
	v.begun, v.key, v.prev, v.origin = true, key, l.hash.String(), l.prev
	v.seq, v.first, v.signed = f.After, f.After, f.After
	if v.authentic = v.trusts(key); !v.authentic {
		v.untrusted = wrong("it is signed with the key %s, which is not trusted", Fingerprint(key))
		v.untrusted.Untrusted = true
	}
	if f.Number > 1 {
		v.missing, v.headSeen = f, v.headBefore(f)
	}
	return nil
}

// headBefore reports whether the published head is of a record before a file: its
// line went with the files that were deleted, and a crash kept the later ones from
// the disk.
func (v *verifier) headBefore(f *fileNote) bool {
	l, err := parseLine([]byte(v.head))
	return err == nil && v.isHead(l) && l.note.Head.Seq <= f.After
}

// headWithin reports whether the published head is of a record that was lost: the
// next one has not been published yet.
func (v *verifier) headWithin(lost lostNote) bool {
	l, err := parseLine([]byte(v.head))
	return err == nil && v.isHead(l) && l.note.Head.Seq > lost.After && l.note.Head.Seq <= lost.Through
}

// isHead reports whether a line is a signed head of the chain, by the key that signs here or one
// that is trusted: the published head may be of another time.
func (v *verifier) isHead(l line) bool {
	return l.isHeadOf(v.key, v.report.Chain) ||
		isHeadOfAny(v.trusted, l, v.report.Chain)
}

// trusts reports whether a key is one of the trusted ones.
func (v *verifier) trusts(key ed25519.PublicKey) bool { return isAmong(v.trusted, key) }

// note checks a line that follows the one before it, and takes it in. wrong makes the error of
// a line in its place.
func (v *verifier) note(l line, wrong func(string, ...any) *BreakError) *BreakError {
	switch {
	case l.note == nil:
		v.seq = l.seq
	case l.note.Head != nil && !l.note.Head.verify(v.key, v.report.Chain, l.prev):
		return wrong("the signature is wrong")
	case l.note.Head != nil && l.note.Head.Seq != v.seq:
		return wrong("it signs record %d, but the last one is %d", l.note.Head.Seq, v.seq)
	case l.note.File != nil && (l.note.File.Chain != v.report.Chain || l.note.File.After != v.seq):
		return wrong("this file does not belong here")
	case l.note.Retired != nil:
		v.claims.retired = l.note.Retired
	case l.note.Repaired != nil, l.note.Recovered != nil:
		v.claims.recovered++
	case l.note.Chains != nil:
		v.claims.others = append(v.claims.others, l.note.Chains.IDs...)
	case l.note.Lost != nil && (l.note.Lost.After != v.seq || l.note.Lost.Through < v.seq):
		return wrong("the records that it calls lost do not follow record %d", v.seq)
	case l.note.Lost != nil:
		v.claims.lost = append(v.claims.lost, *l.note.Lost)
		v.seq = l.note.Lost.Through
	case l.note.Rotated != nil && l.note.Rotated.Old == hex.EncodeToString(v.key):
		if !l.note.Rotated.verify() {
			return wrong("the signature of the rotation is wrong")
		}
		v.passOn(l.note.Rotated)
	case l.note.Moved != nil && v.seq != 0:
		return wrong("a chain that begins elsewhere says so in its second line")
	case l.note.Moved != nil:
		v.seq, v.first, v.signed = l.note.Moved.Through, l.note.Moved.Through, l.note.Moved.Through
	}
	v.prev = l.hash.String()
	return nil
}

// passOn makes the chain go on with the new key of a rotation. Only a key that is trusted here
// can make others trusted: a head of a later key covers the lines before it, and says nothing of
// what the keys before it sign elsewhere.
func (v *verifier) passOn(r *rotationNote) {
	if v.authentic && r.Compromised {
		v.report.compromised = append(v.report.compromised, v.key)
	}
	v.key = publicKeyOf(r.New)
	v.authentic = v.authentic && !isAmong(v.revoked, v.key) || v.trusts(v.key)
	if v.authentic {
		v.report.successors = append(v.report.successors, v.key)
	}
}

// accept takes in all that a signed head covers. The head of a key that is not trusted counts
// as far as hashes go, and leaves untrusted set: a head of a trusted key behind it may still
// cover it.
func (v *verifier) accept(at place, l line) {
	v.signed, v.ended = v.seq, place{file: at.file, line: at.line}
	switch {
	case v.authentic:
		v.untrusted = nil // the signature covers all that is before it
	case v.attested.has(l, v.report.Chain):
		v.untrusted = nil
	case v.untrusted == nil:
		v.untrusted = &BreakError{
			Chain: v.report.Chain, File: at.file, Line: at.line, Seq: v.seq, Untrusted: true,
			Reason: fmt.Sprintf("what follows the last head that is trusted is signed with the key %s, which is not trusted", Fingerprint(v.key)),
		}
	}
	v.headSeen = v.headSeen || string(at.text) == v.head
	v.report.Hash = v.prev
	v.report.Signed, _ = time.Parse(timeFormat, l.note.Head.Time) // signed, so we wrote it
	v.takeClaims()
	if string(at.text) == v.head {
		v.report.checkpoint = v.checkpoint(at, l)
	}
}

// takeClaims believes what notes have said since the last time.
func (v *verifier) takeClaims() {
	v.report.Recovered += v.claims.recovered
	v.report.others = append(v.report.others, v.claims.others...)
	if v.claims.retired != nil {
		v.retired = v.claims.retired
	}
	for _, lost := range v.claims.lost {
		v.report.Lost += lost.Through - lost.After
		v.headSeen = v.headSeen || v.headWithin(lost)
	}
	v.claims = claims{}
}

// end checks what only the whole chain can show. A crash leaves lines that are wrong
// without any signed head after them, unless one was published.
func (v *verifier) end() {
	r := &v.report
	if v.untrusted != nil {
		*r = ChainReport{Chain: r.Chain, Broken: v.untrusted}
		return
	}
	r.Torn = v.torn
	if r.Broken != nil {
		r.Records, r.Last = v.signed-v.first-r.Lost, v.signed
		return
	}
	signedLost := r.Lost
	v.takeClaims()
	r.Records, r.Last = v.seq-v.first-r.Lost, v.seq
	r.Unsigned = v.seq - v.signed - (r.Lost - signedLost)
	whole := func(reason string) *BreakError {
		if v.suspect != nil {
			return v.suspect
		}
		return &BreakError{Chain: r.Chain, File: v.ended.file, Line: v.ended.line, Seq: v.signed, Reason: reason}
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
		r.Broken = whole(fmt.Sprintf("its end is missing: records after %d were signed", v.signed))
		r.Broken.Short = v.suspect == nil
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
