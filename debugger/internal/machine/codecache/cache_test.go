package codecache_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

const (
	original = 0x401000
	far      = 0x7f00_0000_1000 // code that another arena is for
	size     = 1 << 18
)

// fixture is a cache of code in this program's memory. It is not executed.
type fixture struct {
	*codecache.Cache
	t      *testing.T
	code   map[uint64]byte
	arenas []codecache.Arena
	refuse error // of the next arenas
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, code: make(map[uint64]byte)}
	f.Cache = codecache.New(codecache.Config{
		Fetch: func(addr uint64, b []byte) int {
			for n := range b {
				c, ok := f.code[addr+uint64(n)]
				if !ok {
					return n
				}
				b[n] = c
			}
			return len(b)
		},
		Arena: func(near uint64) (codecache.Arena, error) {
			if f.refuse != nil {
				return codecache.Arena{}, f.refuse
			}
			a := codecache.Arena{Base: near + 1<<28, Code: make([]byte, size)}
			f.arenas = append(f.arenas, a)
			return a, nil
		},
		Targets: make(translate.Targets, translate.TargetsSize),
	})
	return f
}

// put writes code of the program.
func (f *fixture) put(at uint64, code ...byte) {
	for n, b := range code {
		f.code[at+uint64(n)] = b
	}
}

func (f *fixture) enter(pc uint64) uint64 {
	f.t.Helper()
	address, err := f.Enter(pc)
	if err != nil {
		f.t.Fatal(err)
	}
	return address
}

// instruction decodes what is at an address of an arena.
func (f *fixture) instruction(address uint64) *x86.Inst {
	f.t.Helper()
	for _, a := range f.arenas {
		if n := address - a.Base; n < size {
			in, err := x86.Decode(a.Code[n:], address)
			if err != nil {
				f.t.Fatalf("%#x: %v", address, err)
			}
			return &in
		}
	}
	f.t.Fatalf("%#x is in no arena", address)
	return nil
}

// last returns the last instruction of a block that is n instructions long with its
// prologue.
func (f *fixture) last(address uint64, n int) *x86.Inst {
	f.t.Helper()
	in := f.instruction(address)
	for range n - 1 {
		in = f.instruction(in.Next())
	}
	return in
}

// TestBranchesAreConnected translates a block and then the one that it leads to, which
// was not there before.
func TestBranchesAreConnected(t *testing.T) {
	f := newFixture(t)
	f.put(original, 0x31, 0xc0, 0xe9, 0xf9, 0xff, 0xef, 0xff) // xor eax, eax; jmp original-0x100000
	const length = 4                                          // sub, js, xor, jmp
	first := f.enter(original)
	if target, _ := f.last(first, length).Target(); target == 0 || f.instruction(target).Name() == "sub" {
		t.Fatalf("the jump leads to %#x, though there is no code", target)
	}
	f.Clear()
	f.put(original-0x100000, 0x31, 0xc0, 0xf4)
	first = f.enter(original)
	second := f.enter(original - 0x100000)
	if got := f.last(first, length-1); got.Next() != second { // the jump is not needed
		t.Errorf("the code continues at %#x, want %#x", got.Next(), second)
	}
}

// TestFarBranch connects blocks of arenas that are more than 2 GiB apart.
func TestFarBranch(t *testing.T) {
	f := newFixture(t)
	f.put(far, 0x31, 0xc0, 0xf4)
	second := f.enter(far)
	f.put(original, 0x31, 0xc0, 0x68, 0, 0, 0, 0, 0xc3) // no direct branch can lead there
	first := f.enter(original)
	if len(f.arenas) != 2 || max(first, second)-min(first, second) < 1<<31 {
		t.Errorf("%d arenas, blocks at %#x and %#x", len(f.arenas), first, second)
	}
	f.refuse = fmt.Errorf("no memory: %w", codecache.ErrFull)
	f.put(2*far, 0x31, 0xc0, 0xf4)
	if address := f.enter(2 * far); !f.Contains(address) {
		t.Errorf("%#x is in no arena", address)
	}
	f.refuse = errors.New("the process has ended") // no reason to translate elsewhere
	f.put(3*far, 0x31, 0xc0, 0xf4)
	if _, err := f.Enter(3 * far); !errors.Is(err, f.refuse) {
		t.Errorf("the error is %v, want that of the arena", err)
	}
}

// TestChanged replaces the translation of code that has changed. Jumps to the old one lead
// out of the cache until there is a new one, and then to that.
func TestChanged(t *testing.T) {
	f := newFixture(t)
	f.Cache = codecache.New(codecache.Config{
		Fetch: func(uint64, []byte) int { return 0 }, Variable: f.Fetch, Arena: f.Arena,
		Targets: make(translate.Targets, translate.TargetsSize),
	})
	f.put(original, 0x31, 0xc0, 0xf4) // xor eax, eax; hlt
	first := f.enter(original)
	f.put(original, 0x31, 0xc9)
	f.Changed(original)
	f.Changed(original) // there is none now
	out, ok := f.instruction(first).Target()
	if _, hot := f.Position(out); !ok || hot || !f.Contains(out) {
		t.Errorf("the first translation leads to %#x, which is no exit", out)
	}
	second := f.enter(original)
	if to, _ := f.instruction(first).Target(); to != second || second == first {
		t.Errorf("the first translation leads to %#x, want %#x", to, second)
	}
}

func TestNoMemory(t *testing.T) {
	f := newFixture(t)
	f.refuse = fmt.Errorf("no memory: %w", codecache.ErrFull)
	if _, err := f.Enter(original); err == nil {
		t.Error("there is no error")
	}
}

func TestFull(t *testing.T) {
	f := newFixture(t)
	for n := uint64(0); ; n++ {
		at := original + n*0x200
		code := make([]byte, 100)
		for i := range code {
			code[i] = 0x90
		}
		f.put(at, append(code, 0xf4)...)
		if _, err := f.Enter(at); errors.Is(err, codecache.ErrFull) {
			f.Clear()
			f.enter(at)
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if n > size {
			t.Fatal("the cache is never full")
		}
	}
}

// TestPosition maps addresses in the cache to the program's.
func TestPosition(t *testing.T) {
	f := newFixture(t)
	f.put(original, 0x31, 0xc0, 0xff, 0xc0, 0x90, 0xf4) // xor eax, eax; inc eax; nop; hlt
	at := f.enter(original)
	if p, ok := f.Position(at); !ok || !p.Start || p.Begun || p.PC != original {
		t.Errorf("at the start: %+v, %v", p, ok)
	}
	sub := f.instruction(at)
	if p, ok := f.Position(sub.Next()); !ok || p.Start || p.Begun {
		t.Errorf("behind the subtraction: %+v, %v", p, ok)
	}
	xor := f.instruction(f.instruction(sub.Next()).Next())
	inc := f.instruction(xor.Next())
	if p, ok := f.Position(inc.PC); !ok || !p.Begun || p.PC != original+2 || p.Undone != 2 {
		t.Errorf("%s: %+v, %v", inc.Text(nil), p, ok)
	}
	if _, ok := f.Position(at - 1); ok {
		t.Error("there is a position before the block")
	}
}

// TestExits follows the jump of a block to its exit, whose number is an operand.
func TestExits(t *testing.T) {
	f := newFixture(t)
	f.put(original, 0x31, 0xc0, 0xff, 0xc0, 0xf4)
	at := f.enter(original)
	target, _ := f.last(at, 5).Target() // sub, js, xor, inc, jmp
	in := f.instruction(target)
	for range 2 {
		in = f.instruction(in.Next())
	}
	number := binary.LittleEndian.Uint32(f.arenas[0].Code[in.Next()-4-f.arenas[0].Base:])
	exit, err := f.Exit(number)
	if err != nil || exit.Kind != translate.ExitNative || exit.Target != original+4 || exit.Undone != 0 {
		t.Errorf("exit %d: %+v, %v", number, exit, err)
	}
	if exit, err := f.Exit(number - 1); err != nil || exit.Kind != translate.ExitLeft || exit.Undone != 2 {
		t.Errorf("exit %d: %+v, %v", number-1, exit, err)
	}
	if _, err := f.Exit(number + 1); err == nil {
		t.Error("there is another exit")
	}
}

// TestMove copies a cache to other memory. Translations are where they were, and new ones are
// added to the copy.
func TestMove(t *testing.T) {
	f := newFixture(t)
	f.put(original, 0x31, 0xc0, 0xe9, 0xf9, 0xff, 0xef, 0xff) // xor eax, eax; jmp original-0x100000
	const length = 4                                          // sub, js, xor, jmp
	first := f.enter(original)
	old := f.arenas[0].Code
	f.Move(f.Config, func(n int) []byte {
		f.arenas[n].Code = make([]byte, size)
		return f.arenas[n].Code
	})
	clear(old)
	if got := f.enter(original); got != first {
		t.Fatalf("the translation is at %#x, and was at %#x", got, first)
	}
	if name := f.instruction(first).Name(); name != "sub" {
		t.Errorf("it begins with %s", name)
	}
	f.put(original+0x100000, 0x31, 0xc0, 0xe9, 0xf9, 0xff, 0xef, 0xff) // xor eax, eax; jmp original
	second := f.enter(original + 0x100000)
	if got, _ := f.last(second, length).Target(); got != first {
		t.Errorf("a branch leads to %#x, want %#x", got, first)
	}
}
