package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// formatVersion is the version of chains, which the first line of each file names, and of the
// texts that signatures cover. A program refuses a chain of a version that it does not know.
const formatVersion = 1

// A digest is the SHA-256 of a line, without its newline. The first line of a chain follows the
// zero digest.
type digest [sha256.Size]byte

// String returns the digest in hexadecimal digits.
func (d digest) String() string { return hex.EncodeToString(d[:]) }

// A note is a line that is no record. Exactly one member is set. The names of the members are
// part of the format, and of what signatures cover: they stay as they are when names in the
// program change.
type note struct {
	File *fileNote `json:"file,omitempty"`
	// Head has the name under which older trails have it, too.
	Head      *headNote      `json:"seal,omitempty"`
	Retired   *retiredNote   `json:"retired,omitempty"`
	Recovered *recoveredNote `json:"recovered,omitempty"`
	Chains    *chainsNote    `json:"chains,omitempty"`
	Lost      *lostNote      `json:"lost,omitempty"`
	Moved     *movedNote     `json:"moved,omitempty"`
	Rotated   *rotationNote  `json:"rotated,omitempty"`
	// Repaired has the place of Recovered in older trails.
	Repaired *repairedNote `json:"repaired,omitempty"`
}

// A fileNote is the first line of a file. That of file 1 begins the chain: the
// hash before it is all zeros.
type fileNote struct {
	Version   int    `json:"version"`
	Chain     string `json:"chain"`
	Number    int    `json:"number"`
	After     uint64 `json:"after"`      // number of the last record before this file
	PublicKey string `json:"public_key"` // hex of the Ed25519 key that signs
	Time      string `json:"time"`
	// Kept is the number of bytes of the file before this one that count, 0 for all: those
	// after them could not be synced and were written again into this file.
	Kept int64 `json:"kept,omitempty"`
}

// A headNote is a signed head. The signature covers the hash of the line before it, and so all
// that came before; the chain's id, so that a head proves nothing of another chain; and the
// number and time of the note itself.
type headNote struct {
	Seq       uint64 `json:"seq"` // of the last record so far
	Time      string `json:"time"`
	Signature string `json:"sig"`
}

// A retiredNote says that the files up to a number were deleted by policy. It is believed only
// once a signed head covers it. The files are deleted after that: a crash in between leaves
// files that the trail says are gone.
type retiredNote struct {
	Through int    `json:"through"`
	Seq     uint64 `json:"seq"`  // of the last record that was deleted
	Hash    string `json:"hash"` // of the last line that was deleted
	Time    string `json:"time"`
}

// A recoveredNote says that the process before this one did not close the chain.
// The lines after the last signed head were checked by their hashes only, and what
// followed the last whole line was cut off.
type recoveredNote struct {
	After    uint64 `json:"after"`              // number of the last record that was found
	Unsigned uint64 `json:"unsigned,omitempty"` // how many of the last records had no signed head
	Cut      int64  `json:"cut,omitempty"`      // bytes that were cut off
	Time     string `json:"time"`
}

// A chainsNote names the other chains of the trail, so that one whose folder
// is deleted is missed.
type chainsNote struct {
	IDs  []string `json:"ids"`
	Time string   `json:"time"`
	// Left says why this chain was begun instead of going on with one of those. Only chains
	// that begin after a rotation have it, which earlier versions cannot read anyway.
	Left string `json:"left,omitempty"`
}

// A lostNote says that the store no longer had the last lines that were written to
// it, such as after a failover to a replica without them. The line follows what the
// store still had.
type lostNote struct {
	After   uint64 `json:"after"`   // number of the last record that the store still had
	Through uint64 `json:"through"` // number of the last record that was written
	Time    string `json:"time"`
}

// A movedNote says that another process adds to the chain in which the records up to
// a number are. It is the second line of its chain.
type movedNote struct {
	From    string `json:"from"`    // the other chain
	Through uint64 `json:"through"` // number of the last record there
	Time    string `json:"time"`
}

// A repairedNote says that bytes after the last signed head were cut off.
type repairedNote struct {
	Bytes int64  `json:"bytes"`
	Time  string `json:"time"`
}

// body returns the note as members of a JSON object. Equal notes have equal bytes.
func (n note) body() []byte {
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // it has nothing that does not encode
	}
	return text[1 : len(text)-1]
}

// A line is one line of a chain, taken apart as far as checking needs. It has no reference to
// the text it was made from.
type line struct {
	hash digest // of the line itself
	prev string // hex of the hash of the line before it, as the line says
	seq  uint64 // of a record, 0 of a note
	note *note  // nil for a record
}

// A line begins {"prev":"<64 digits>", and that of a record goes on "seq":<number>.
const (
	prevStart = `{"prev":"`
	prevEnd   = `",`
	prevSize  = len(prevStart) + 2*sha256.Size + len(prevEnd)
	seqStart  = `"seq":`
)

// errLine is the error of text that no chain has written.
var errLine = errors.New("not a line of an audit trail")

// parseLine takes a line apart. The members of a record are not looked at: the hash in the
// next line covers them. It does not keep b, and accepts only what [chain.add] can have made.
func parseLine(b []byte) (line, error) {
	if len(b) < prevSize+2 || string(b[:len(prevStart)]) != prevStart || string(b[prevSize-len(prevEnd):prevSize]) != prevEnd || b[len(b)-1] != '}' {
		return line{}, errLine
	}
	l := line{hash: sha256.Sum256(b), prev: string(b[len(prevStart) : prevSize-len(prevEnd)])}
	body := b[prevSize : len(b)-1]
	if digits, ok := bytes.CutPrefix(body, []byte(seqStart)); ok {
		return l.record(digits)
	}
	l.note = new(note)
	if err := l.note.parse(body); err != nil {
		return line{}, err
	}
	return l, nil
}

// record completes the line of a record, whose number comes first. A number has no leading
// zeros: each line can be written in one way only.
func (l line) record(digits []byte) (line, error) {
	n := bytes.IndexByte(digits, ',')
	if n < 1 || digits[0] == '0' {
		return line{}, errLine
	}
	var err error
	if l.seq, err = strconv.ParseUint(string(digits[:n]), 10, 64); err != nil {
		return line{}, errLine
	}
	return l, nil
}

// parse reads the members of a note. Only the one way in which we write them is a note: a
// signed head is covered by no other hash until the next line, so a byte that is changed there
// must not go unnoticed.
func (n *note) parse(body []byte) error {
	object := append(append([]byte{'{'}, body...), '}')
	if err := json.Unmarshal(object, n); err != nil {
		return fmt.Errorf("%w: %w", errLine, err)
	}
	if !bytes.Equal(n.body(), body) || *n == (note{}) {
		return errLine
	}
	return nil
}

// signed returns the text that the signature covers: one value a line, none of which can have
// a newline. Its first line keeps signatures for other purposes from being taken for heads.
func (h *headNote) signed(chain, prev string) []byte {
	return fmt.Appendf(nil, "triptych audit seal\n%d\n%s\n%d\n%s\n%s\n", formatVersion, chain, h.Seq, h.Time, prev)
}

// sign signs the head that follows the line with the hash prev.
func (h *headNote) sign(key ed25519.PrivateKey, chain, prev string) {
	h.Signature = hex.EncodeToString(ed25519.Sign(key, h.signed(chain, prev)))
}

// verify reports whether the holder of the key signed the chain here. A key of a wrong size is
// none, for [ed25519.Verify] would panic.
func (h *headNote) verify(key ed25519.PublicKey, chain, prev string) bool {
	sig, err := hex.DecodeString(h.Signature)
	return err == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, h.signed(chain, prev), sig)
}

// isHeadOf reports whether the line is a head of the chain that the key's owner
// signed.
func (l line) isHeadOf(key ed25519.PublicKey, chain string) bool {
	return l.note != nil && l.note.Head != nil && l.note.Head.verify(key, chain, l.prev)
}

// isHeadOfAny reports whether a line is a signed head of a chain, by one of the keys.
func isHeadOfAny(keys []ed25519.PublicKey, l line, chain string) bool {
	return slices.ContainsFunc(keys, func(key ed25519.PublicKey) bool { return l.isHeadOf(key, chain) })
}
