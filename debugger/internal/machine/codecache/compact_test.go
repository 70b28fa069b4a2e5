package codecache_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
)

// TestLargeCodeIsCompact translates more code than the caches of a processor hold. Later
// blocks must end at their branches.
func TestLargeCodeIsCompact(t *testing.T) {
	const straight, length, instructions = 0x500000, 10, 300_000 // of mov rax, 0
	branch := []byte{0x31, 0xc0, 0x75, 0x10, 0x31, 0xc9, 0xf4}   // xor eax, eax; jne +16; xor ecx, ecx; hlt
	cache := codecache.New(codecache.Config{
		Fetch: func(addr uint64, b []byte) int {
			if n := addr - original; n < 1<<12 {
				return copy(b, branch[min(n%16, uint64(len(branch))):])
			}
			n := 0
			for ; n < len(b) && addr-straight < length*instructions; n++ {
				b[n] = [length]byte{0x48, 0xb8}[(addr-straight)%length]
				addr++
			}
			return n
		},
		Arena: func(near uint64) (codecache.Arena, error) {
			return codecache.Arena{Base: near + 1<<28, Code: make([]byte, 16<<20)}, nil
		},
		Targets: make(translate.Targets, translate.TargetsSize),
	})
	enter := func(pc uint64) uint64 {
		address, err := cache.Enter(pc)
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	count := func(pc uint64) int {
		instructions := make(map[uint64]bool)
		for address, start := enter(pc), true; ; address, start = address+1, false {
			p, ok := cache.Position(address)
			if !ok || p.Start && !start {
				return len(instructions)
			}
			instructions[p.PC] = true
		}
	}
	if n := count(original); n != 3 {
		t.Errorf("a block of a small program has %d instructions, want 3", n)
	}
	for n := uint64(0); n < instructions; n += 100 {
		enter(straight + n*length)
	}
	if n := count(original + 16); n != 2 {
		t.Errorf("a block of a large program has %d instructions, want 2", n)
	}
}
