package history

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
)

// wordSize is the unit of differences of the vector state.
const wordSize = 8

// appendVector appends the difference between two vector states of the same
// length: the number of words that differ, and for each the distance from the
// last one and the exclusive or. It returns their number.
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

// insertCount inserts a number before b[at:].
func insertCount(b []byte, at, n int) []byte {
	var count [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(count[:], uint64(n))
	b = append(b, count[:k]...)
	copy(b[at+k:], b[at:len(b)-k])
	copy(b[at:], count[:k])
	return b
}

// moveVector reads a difference and applies it to the state, which also undoes
// it. If the state is nil, it skips the difference.
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

// loadVectors sets the machine's vector state to that of the thread that steps.
func (p *interpreter) loadVectors(v *interp.Vectors) bool {
	t := &p.r.view().threads[p.thread]
	return p.r.loadVectorState(t) == nil && p.layout.Load(t.vector, v)
}

// takeVectors copies the machine's vector state to the thread and collects the
// differences in p.changes, in the order of the words.
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

// appendChanges appends changes in the format of appendVector.
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
