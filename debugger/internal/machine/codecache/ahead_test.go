package codecache_test

import (
	"encoding/binary"
	"testing"
)

// TestNearestIsAhead makes sure that Enter translates all targets of a block before it translates
// what only one of them leads to.
func TestNearestIsAhead(t *testing.T) {
	const targets, distance = 8, 0x100
	f := newFixture(t)
	branches := func(at uint64) []uint64 { // the targets of as many branches at an address
		var to []uint64
		for n := range uint64(targets) {
			target := at*0x10 + n*distance
			f.put(at+n*6, binary.LittleEndian.AppendUint32([]byte{0x0f, 0x84}, uint32(target-at-(n+1)*6))...) // je
			f.put(target, 0x31, 0xc0, 0xc3)                                                                   // xor eax, eax; ret
			to = append(to, target)
		}
		f.put(at+targets*6, 0xc3) // ret
		return to
	}
	const first = 0x1000
	nearest := branches(first)
	for _, at := range nearest {
		branches(at)
	}
	f.enter(first)
	clear(f.code) // no more can be translated
	for _, at := range nearest {
		if in := f.instruction(f.enter(at)); in.Name() == "jmp" {
			t.Errorf("the target %#x of the first block was not translated", at)
		}
	}
}
