package redact

import (
	"encoding/binary"
	"regexp"
	"slices"
	"sync"

	"github.com/triptych-mcp/triptych/mcp/secrets"
)

// MinPart is the number of bytes of a secret, one after the other, that are masked where
// the rest of the secret is not beside them.
const MinPart = 6

// minDistinct is the number of different bytes in a part of a secret that is masked. Keys
// in base64 have long runs of one letter, and so has memory that a program filled.
const minDistinct = 3

// maxParts limits the parts that a Known remembers twice: when there are so many, those
// before the last maxParts are forgotten.
const maxParts = 32 << 10

// maxRemembered limits the bytes of a secret that are remembered.
const maxRemembered = 8 << 10

// Known remembers the secrets of a program, so that parts of them are masked where the
// whole is not: in registers, in copies that are half done, in what a function left on the
// stack. It holds what has been found in memory, by parts of [MinPart] bytes.
//
// A nil Known knows nothing. All methods may be called from any goroutine.
type Known struct {
	mu          sync.Mutex
	parts, last map[uint64]struct{}  // by their bytes; last holds the parts before
	begins      [1 << 16 / 64]uint64 // the set of the first two bytes of parts
}

// public are the texts in secrets that others share: lines around keys, names of hosts, and
// the path of a file with the secret, which a variable of the environment may have.
var public = regexp.MustCompile(`-----[A-Z ]+-----|https?://[A-Za-z0-9.-]+/|^/(?:bin|dev|etc|home|lib|mnt|opt|proc|root|run|srv|tmp|usr|var)/[^\n]*`)

// Add remembers a secret. What is no text separates parts of it.
func (k *Known) Add(secret []byte) {
	if k == nil {
		return
	}
	secret = secret[:min(len(secret), maxRemembered)]
	secret = public.ReplaceAllLiteral(secret, []byte("\n"))
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := 0; i+MinPart <= len(secret); i++ {
		if part := secret[i : i+MinPart]; memorable(part) {
			k.addLocked(part)
		}
	}
}

// memorable reports whether a part of a secret is text that other texts seldom have.
func memorable(part []byte) bool {
	var distinct []byte
	for _, c := range part {
		if c < ' ' || c > '~' {
			return false
		}
		if !slices.Contains(distinct, c) {
			distinct = append(distinct, c)
		}
	}
	return len(distinct) >= minDistinct
}

// addLocked remembers a part.
func (k *Known) addLocked(part []byte) {
	if len(k.parts) >= maxParts {
		k.last, k.parts = k.parts, nil
	}
	if k.parts == nil {
		k.parts = map[uint64]struct{}{}
	}
	k.parts[key(part)] = struct{}{}
	first := binary.LittleEndian.Uint16(part)
	k.begins[first/64] |= 1 << (first % 64)
}

// key returns the bytes of a part as a number.
func key(part []byte) uint64 {
	return uint64(binary.LittleEndian.Uint32(part)) | uint64(binary.LittleEndian.Uint16(part[4:]))<<32
}

// Find returns where bytes have parts of secrets, in order and without overlaps.
func (k *Known) Find(b []byte) (found []secrets.Match) {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.parts) == 0 {
		return nil
	}
	for i := 0; i+MinPart <= len(b); i++ {
		if !k.hasLocked(b[i : i+MinPart]) {
			continue
		}
		if n := len(found); n > 0 && found[n-1].To >= i {
			found[n-1].To = i + MinPart
			continue
		}
		found = append(found, secrets.Match{From: i, To: i + MinPart, Rule: partRule})
	}
	return found
}

// partRule names what masks a part of a secret, as rules do.
const partRule = "part"

// hasLocked reports whether a part is one of a secret.
func (k *Known) hasLocked(part []byte) bool {
	first := binary.LittleEndian.Uint16(part)
	if k.begins[first/64]&(1<<(first%64)) == 0 {
		return false
	}
	if _, ok := k.parts[key(part)]; ok {
		return true
	}
	_, ok := k.last[key(part)]
	return ok
}

// In reports whether a register or another value has a part of a secret, in characters of
// any width and in either order of bytes.
func (k *Known) In(value []byte) bool {
	if k == nil {
		return false
	}
	backward := slices.Clone(value)
	slices.Reverse(backward)
	for _, width := range widths {
		for at := range min(width, len(value)) {
			if len(k.Find(textOf(value[at:], width))) > 0 || len(k.Find(textOf(backward[at:], width))) > 0 {
				return true
			}
		}
	}
	return false
}
