package translate

import (
	"slices"
	"sync"
)

// A scratch is memory for translations, which are as many as a program has blocks.
type scratch struct {
	planned   []planned
	text      []byte
	hot, cold []byte
	exits     []Exit
	returns   []uint64
	positions []Position
	memory    blockMemory
}

// blockMemory is memory for the exits and positions of blocks, allocated for many blocks at once.
type blockMemory struct {
	exits     []Exit
	positions []Position
}

// allocatedTogether is the number of entries for which memory is allocated at once.
const allocatedTogether = 1 << 10

// cloneInto returns a copy of a list, in memory that it takes from free.
func cloneInto[T any](free *[]T, list []T) []T {
	if len(*free) < len(list) {
		*free = make([]T, max(allocatedTogether, len(list)))
	}
	c := (*free)[:len(list):len(list)]
	*free = (*free)[copy(c, list):]
	return c
}

// scratches are reused. They hold no pointers that matter: those of planned instructions
// lead to tables and to text.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// begin makes the translation work in reused memory.
func (t *translation) begin(s *scratch) {
	t.planned, t.text = s.planned[:0], s.text[:0]
	t.hot.code, t.cold.code = s.hot[:0], s.cold[:0]
	if t.HotRoom != nil {
		t.hot.code, t.cold.code = t.HotRoom[:0:MaxCode], t.ColdRoom[:0:MaxCode]
	}
	t.block.Exits, t.block.Returns, t.block.Positions = s.exits[:0], s.returns[:0], s.positions[:0]
}

// finish returns the block, with memory of its own, and gives the other memory back.
func (t *translation) finish(s *scratch) Block {
	b := t.block
	if b.Hot, b.Cold = t.hot.code, t.cold.code; t.HotRoom == nil {
		s.hot, s.cold = b.Hot, b.Cold
		b.Hot, b.Cold = slices.Clone(b.Hot), slices.Clone(b.Cold)
	}
	if t.Once { // it is dropped long before others
		b.Exits, b.Positions = slices.Clone(b.Exits), slices.Clone(b.Positions)
	} else {
		b.Exits, b.Positions = cloneInto(&s.memory.exits, b.Exits), cloneInto(&s.memory.positions, b.Positions)
	}
	b.Returns = append([]uint64(nil), b.Returns...) // nil if there are none
	*s = scratch{t.planned, t.text, s.hot, s.cold, t.block.Exits, t.block.Returns, t.block.Positions, s.memory}
	scratches.Put(s)
	return b
}
