package xsave_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
)

// stateSize is enough for the components of all layouts that are known.
const stateSize = 1 << 12

// everything changes all registers.
var everything = interp.VectorChange{Reg: 1<<32 - 1, Mask: 0xff, MXCSR: true, Control: true}

func ignore(int, uint64, uint64) {}

// kept returns which registers of a state the machine has.
func kept(t *testing.T, v interp.Vectors) interp.Vectors {
	t.Helper()
	state := make([]byte, stateSize)
	l := xsave.Machine()
	l.Store(state, &v, everything, ignore)
	var got interp.Vectors
	if !l.Load(state, &got) {
		t.Fatal("the state is too short")
	}
	return got
}

func random(r *rand.Rand) (v interp.Vectors) {
	for n := range v.Reg {
		for quad := range v.Reg[n] {
			v.Reg[n][quad] = r.Uint64()
		}
	}
	for n := range v.Mask {
		v.Mask[n] = r.Uint64()
	}
	v.MXCSR, v.Control = 0x1fa0, 0xf7f
	return v
}

// What is stored is there again, for each register in a place of its own.
func TestStoreAndLoad(t *testing.T) {
	want := kept(t, random(rand.New(rand.NewPCG(1, 2))))
	if got := kept(t, want); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
	if want.Reg[3][1] == 0 || want.MXCSR != 0x1fa0 || want.Control != 0xf7f {
		t.Error("x87 and SSE are everywhere, and are not kept")
	}
}

// The offsets of xmm registers and of MXCSR equal those of FXSAVE.
func TestPlaces(t *testing.T) {
	state := make([]byte, stateSize)
	v := interp.Vectors{MXCSR: 0x1f81}
	v.Reg[5] = interp.Vector{7, 8}
	xsave.Machine().Store(state, &v, interp.VectorChange{Reg: 1 << 5, MXCSR: true}, ignore)
	for offset, want := range map[int]uint64{24: 0x1f81, 160 + 5*16: 7, 160 + 5*16 + 8: 8, 512: 1 << 1} {
		if got := binary.LittleEndian.Uint64(state[offset:]); got != want {
			t.Errorf("at %d is %x, want %x", offset, got, want)
		}
	}
}

// Store tells what it changes, and nothing else.
func TestChanging(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	l, state := xsave.Machine(), make([]byte, stateSize)
	v := random(r)
	l.Store(state, &v, everything, ignore)
	for range 100 {
		before := slices.Clone(state)
		n := r.IntN(32)
		v.Reg[n][r.IntN(8)] ^= 1 << r.IntN(64)
		v.Mask[n%8]++
		l.Store(state, &v, interp.VectorChange{Reg: 1 << n, Mask: 1 << (n % 8)}, func(offset int, from, to uint64) {
			if got := binary.LittleEndian.Uint64(before[offset:]); got != from || from == to {
				t.Errorf("at %d: was %x, told %x, is %x", offset, got, from, to)
			}
			binary.LittleEndian.PutUint64(before[offset:], to)
		})
		if !slices.Equal(before, state) {
			t.Fatal("something has changed that was not told")
		}
	}
}

// The header marks what is not as at the start, and vzeroupper takes marks away.
func TestHeader(t *testing.T) {
	l, state := xsave.Machine(), make([]byte, stateSize)
	header := func() uint64 { return binary.LittleEndian.Uint64(state[512:]) }
	v := kept(t, random(rand.New(rand.NewPCG(5, 6))))
	l.Store(state, &v, everything, ignore)
	for _, c := range []struct {
		component int
		has       bool
	}{{1, true}, {2, v.Reg[0][2] != 0}, {5, v.Mask[0] != 0}, {6, v.Reg[0][4] != 0}, {7, v.Reg[16][0] != 0}} {
		if marked := header()>>c.component&1 != 0; marked != c.has {
			t.Errorf("component %d: marked %v, want %v", c.component, marked, c.has)
		}
	}
	for n := range 16 {
		clear(v.Reg[n][2:])
	}
	l.Store(state, &v, interp.VectorChange{Reg: 0xffff}, ignore)
	if header()&(1<<2|1<<6) != 0 {
		t.Errorf("header %x: the upper parts are zero, but marked", header())
	}
}

func TestTooShort(t *testing.T) {
	var v interp.Vectors
	for _, n := range []int{0, 512, 575} {
		if xsave.Machine().Load(make([]byte, n), &v) {
			t.Errorf("%d bytes are enough", n)
		}
	}
}

// A kernel that does not use AVX-512 shows less; what is not there is zero, and
// is not written.
func TestLess(t *testing.T) {
	const withYMM = 576 + 256
	l, state := xsave.Machine(), make([]byte, withYMM)
	v := kept(t, random(rand.New(rand.NewPCG(7, 8))))
	l.Store(state, &v, everything, ignore)
	var got interp.Vectors
	if !l.Load(state, &got) {
		t.Fatal("too short")
	}
	for n := range got.Reg {
		want := interp.Vector{}
		if n < 16 {
			copy(want[:4], v.Reg[n][:])
		}
		if got.Reg[n] != want {
			t.Errorf("register %d is %x, want %x", n, got.Reg[n], want)
		}
	}
	if got.Mask != [8]uint64{} {
		t.Errorf("masks %x", got.Mask)
	}
}
