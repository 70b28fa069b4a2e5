package codecache_test

import (
	"encoding/binary"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// arrival returns where an indirect jump to an address of the program arrives.
func (f *fixture) arrival(pc uint64) uint64 {
	const places, size = 1 << 16, 8 // of the last table
	table := f.Targets[len(f.Targets)-places*size:]
	return binary.LittleEndian.Uint64(table[pc%places*size:])
}

// behindArrival returns the instruction behind the code of an arrival, which compares the
// address and restores two registers.
func (f *fixture) behindArrival(pc uint64) *x86.Inst {
	f.t.Helper()
	in, difference, instructions := f.instruction(f.arrival(pc)), -int64(pc), 5 // lea, jrcxz, jmp, mov, mov
	if f.Loop {
		difference, instructions = difference+1, 4 // lea, loop, mov, mov
	}
	if in.Name() != "lea" || in.Mem.Disp != difference {
		f.t.Fatalf("jumps to %#x arrive at %s", pc, in.Text(nil))
	}
	for range instructions {
		in = f.instruction(in.Next())
	}
	return in
}

// TestReturnsAreExpected makes sure that a return behind a call is found without an exit, once
// the call is translated, before or after what follows it, and an indirect jump only when there
// was one.
func TestReturnsAreExpected(t *testing.T) {
	testReturnsAreExpected(t, false)
}

// TestReturnsAreExpectedByLoop is the same for processors on which loop is fast.
func TestReturnsAreExpectedByLoop(t *testing.T) {
	testReturnsAreExpected(t, true)
}

func testReturnsAreExpected(t *testing.T, loop bool) {
	const first, second, function = original, original + 0x40, original + 0x80
	f := newFixture(t)
	f.Loop = loop
	call := func(at uint64) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte{0xe8}, uint32(function-at-5)), 0x31, 0xc0, 0xf4) // call; xor eax, eax; hlt
	}
	f.put(first, call(first)...)
	f.put(second, call(second)...)
	f.put(function, 0x31, 0xc0, 0xff, 0xe0) // xor eax, eax; jmp rax
	f.enter(second + 5)
	none := f.arrival(second + 5)
	for _, at := range []uint64{first, second} {
		f.enter(at)
		want := f.enter(at + 5)
		in := f.behindArrival(at + 5)
		if to, ok := in.Target(); in.PC != want && (!ok || to != want) {
			t.Errorf("behind the arrival is %s, want %#x", in.Text(nil), want)
		}
	}
	f.enter(function)
	if got := f.arrival(function); got != none {
		t.Errorf("jumps to a function arrive at %#x, want %#x: there were none", got, none)
	}
	address, err := f.EnterIndirect(function)
	if to, _ := f.behindArrival(function).Target(); err != nil || to != address {
		t.Errorf("an arrival leads to %#x, want %#x, %v", to, address, err)
	}
	f.Clear()
	if got := f.arrival(first + 5); got != none {
		t.Errorf("jumps arrive at %#x after Clear, want %#x", got, none)
	}
}
