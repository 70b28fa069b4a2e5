package history

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/x86/interp"
)

// wordSize is the unit in which vector state is compared.
const wordSize = 8

// appendVector appends the difference between two vector states of the same
// length: how many words differ, and for each the gap before it and the
// exclusive or of the two. It returns how many they are.
func appendVector(b []byte, from, to []byte) ([]byte, int) {
	n, last := 0, 0
	at := len(b)
	for i := 0; i+wordSize <= len(from) && i+wordSize <= len(to); i += wordSize {
		x := binary.LittleEndian.Uint64(from[i:]) ^ binary.LittleEndian.Uint64(to[i:])
		if x == 0 {
			continue
		}
		b = binary.AppendUvarint(b, uint64(i/wordSize-last))
		b = binary.LittleEndian.AppendUint64(b, x)
		last = i / wordSize
		n++
	}
	return insertCount(b, at, n), n
}

// insertCount puts a number before what was appended from at on.
func insertCount(b []byte, at, n int) []byte {
	var count [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(count[:], uint64(n))
	b = append(b, count[:k]...)
	copy(b[at+k:], b[at:len(b)-k])
	copy(b[at:], count[:k])
	return b
}

// moveVector applies such a difference, which also takes it back. Without a
// state it only reads.
func (d *decoder) moveVector(state []byte) {
	word := uint64(0)
	for range d.count(1 + wordSize) {
		word += d.uvarint()
		x := d.bytes(wordSize)
		if d.bad || state == nil {
			continue
		}
		if word >= uint64(len(state)/wordSize) {
			d.fail()
			return
		}
		at := state[word*wordSize:]
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)^binary.LittleEndian.Uint64(x))
	}
}

// A vectorChange is a word of the vector state that a step has changed.
type vectorChange struct {
	word int
	xor  uint64
}

// loadVectors tells the machine the vector state of the thread that steps.
func (p *interpreter) loadVectors(v *interp.Vectors) bool {
	t := &p.r.view().threads[p.thread]
	return p.r.learn(t) == nil && p.layout.Load(t.vector, v)
}

// takeVectors makes the vector state of the thread what the machine has, and
// notes what that changes, in the order of the words.
func (p *interpreter) takeVectors(t *thread) {
	p.changes = p.changes[:0]
	changed := p.machine.ChangedVectors()
	if changed == (interp.VectorChange{}) {
		return
	}
	p.layout.Store(t.vector, p.machine.Vectors(), changed, func(offset int, from, to uint64) {
		p.changes = append(p.changes, vectorChange{offset / wordSize, from ^ to})
	})
	slices.SortFunc(p.changes, func(a, b vectorChange) int { return cmp.Compare(a.word, b.word) })
	p.vectors = p.vectors || len(p.changes) > 0
}

// appendChanges appends what appendVector would.
func appendChanges(b []byte, changes []vectorChange) []byte {
	b = binary.AppendUvarint(b, uint64(len(changes)))
	last := 0
	for _, c := range changes {
		b = binary.AppendUvarint(b, uint64(c.word-last))
		b = binary.LittleEndian.AppendUint64(b, c.xor)
		last = c.word
	}
	return b
}
