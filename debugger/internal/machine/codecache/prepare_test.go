package codecache_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
)

// TestPrepare prepares three blocks, one of which indirect jumps lead to: the process finds them, and others
// are missed.
func TestPrepare(t *testing.T) {
	const first, second, third, other = original, original + 4, original + 0x40, original + 0x80
	f := newFixture(t)
	f.put(first, 0x31, 0xc0, 0x74, 0x3c)  // xor eax, eax; je third
	f.put(second, 0x31, 0xc9, 0xff, 0xe1) // xor ecx, ecx; jmp rcx
	f.put(third, 0x31, 0xc0, 0xeb, 0x3c)  // xor eax, eax; jmp other
	f.put(other, 0x31, 0xc0, 0xf4)
	var missed []uint64
	f.Missed = func(pc uint64, _ bool) bool {
		missed = append(missed, pc)
		f.Prepare([]codecache.Entry{{PC: first}, {PC: third, Indirect: true}, {PC: second}, {PC: original + 0x1000}})
		return true
	}
	f.enter(second)
	for _, pc := range []uint64{first, second, third} {
		if _, ok := f.Position(f.enter(pc)); !ok {
			t.Errorf("%#x has no translation", pc)
		}
	}
	if len(missed) != 1 || missed[0] != second {
		t.Errorf("the process has missed %#x, want %#x only", missed, []uint64{second})
	}
	if to, ok := f.behindArrival(third).Target(); ok && to != f.enter(third) {
		t.Errorf("an arrival leads to %#x, want %#x", to, f.enter(third))
	}
	f.enter(other)
	if len(missed) != 2 || missed[1] != other {
		t.Errorf("the process has missed %#x, want also %#x", missed, uint64(other))
	}
}
