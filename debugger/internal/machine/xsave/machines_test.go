package xsave_test

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/cpuid"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
)

// A machine holds the answers of CPUID about XSAVE on a processor: for each component EAX, EBX and ECX.
type machine struct {
	components     map[uint32][3]uint32
	size, compact  int
	vectors, width int // number and size of vector registers
	shown          string
}

// Of the processors that exist the figures are as Linux prints them when it starts
// ("x86/fpu: xstate_offset[2]: 576, xstate_sizes[2]: 256"), with ECX by Intel's manual,
// volume 2, CPUID, leaf 0DH: bit 0 is of the supervisor, bit 1 aligns to 64 bytes.
var machines = map[string]machine{
	"no XSAVE": {size: 576, compact: 576, vectors: 16, width: 16, shown: "x87, SSE (576 bytes)"},
	"no AVX":   {components: map[uint32][3]uint32{0: {3, 576, 576}}, size: 576, compact: 576, vectors: 16, width: 16, shown: "x87, SSE (576 bytes)"},
	"AVX": {
		components: map[uint32][3]uint32{0: {7, 832, 832}, 2: {256, 576, 0}},
		size:       832, compact: 832, vectors: 16, width: 32, shown: "x87, SSE, AVX (832 bytes)",
	},
	"MPX": {
		components: map[uint32][3]uint32{0: {0x1f, 1088, 1088}, 2: {256, 576, 0}, 3: {64, 960, 0}, 4: {64, 1024, 0}},
		size:       1088, compact: 960, vectors: 16, width: 32, shown: "x87, SSE, AVX, MPX bounds, MPX control (1088 bytes)",
	},
	"AVX-512 and shadow stacks, without AMX": {
		components: map[uint32][3]uint32{
			0: {0x2e7, 2696, 2696}, 2: {256, 576, 0}, 5: {64, 1088, 0}, 6: {512, 1152, 0}, 7: {1024, 1664, 0}, 9: {8, 2688, 0},
			11: {16, 0, 1}, 12: {24, 0, 1},
		},
		size: 2696, compact: 2440, vectors: 32, width: 64,
		shown: "x87, SSE, AVX, AVX-512 masks, AVX-512 upper halves, AVX-512 zmm16 to zmm31, PKRU (2696 bytes)",
	},
	"AVX-512 of AMD": {
		components: map[uint32][3]uint32{
			0: {0x2e7, 2440, 2440}, 2: {256, 576, 0}, 5: {64, 832, 0}, 6: {512, 896, 0}, 7: {1024, 1408, 0}, 9: {8, 2432, 0}, 11: {16, 0, 1},
		},
		size: 2440, compact: 2440, vectors: 32, width: 64,
		shown: "x87, SSE, AVX, AVX-512 masks, AVX-512 upper halves, AVX-512 zmm16 to zmm31, PKRU (2440 bytes)",
	},
	"PKRU of AMD": {
		components: map[uint32][3]uint32{0: {0x207, 840, 840}, 2: {256, 576, 0}, 9: {8, 832, 0}},
		size:       840, compact: 840, vectors: 16, width: 32, shown: "x87, SSE, AVX, PKRU (840 bytes)",
	},
	"AMX": {
		components: map[uint32][3]uint32{
			0: {0x600e7, 11008, 11008}, 2: {256, 576, 0}, 5: {64, 1088, 0}, 6: {512, 1152, 0}, 7: {1024, 1664, 0},
			17: {64, 2752, 2}, 18: {8192, 2816, 6},
		},
		size: 11008, compact: 10688, vectors: 32, width: 64,
		shown: "x87, SSE, AVX, AVX-512 masks, AVX-512 upper halves, AVX-512 zmm16 to zmm31, AMX configuration, AMX tiles (11008 bytes)",
	},
	"APX": {
		components: map[uint32][3]uint32{
			0: {0xe02e7, 11008, 11008}, 2: {256, 576, 0}, 5: {64, 1088, 0}, 6: {512, 1152, 0}, 7: {1024, 1664, 0}, 9: {8, 2688, 0},
			17: {64, 2752, 2}, 18: {8192, 2816, 6}, 19: {128, 960, 0},
		},
		size: 11008, compact: 10880, vectors: 32, width: 64,
		shown: "x87, SSE, AVX, AVX-512 masks, AVX-512 upper halves, AVX-512 zmm16 to zmm31, PKRU, AMX configuration, AMX tiles, APX (11008 bytes)",
	},
	"a later one": {
		components: map[uint32][3]uint32{0: {0x400207, 20000, 20000}, 2: {256, 576, 0}, 9: {8, 832, 0}, 22: {16000, 4000, 2}},
		size:       20000, compact: 16896, vectors: 16, width: 32, shown: "x87, SSE, AVX, PKRU, component 22 (20000 bytes)",
	},
}

func (m machine) layout() xsave.Layout {
	return xsave.Enumerate(func(leaf, subleaf uint32) cpuid.Answer {
		a := m.components[subleaf]
		if leaf != 0xd {
			return cpuid.Answer{}
		}
		return cpuid.Answer{EAX: a[0], EBX: a[1], ECX: a[2]}
	})
}

// state makes up a state as Linux writes it, with all components in use.
func (m machine) state(r *rand.Rand) []byte {
	l := m.layout()
	state := make([]byte, l.Size())
	for i := range 416 {
		state[i] = byte(r.Uint32())
	}
	for _, c := range l.Components() {
		for i := range c.Size {
			state[c.Offset+i] = byte(1 + r.IntN(255))
		}
	}
	binary.LittleEndian.PutUint64(state[464:], l.Mask())
	binary.LittleEndian.PutUint64(state[512:], l.Mask())
	return state
}

func each(t *testing.T, f func(t *testing.T, m machine, r *rand.Rand)) {
	for _, name := range slices.Sorted(maps.Keys(machines)) {
		t.Run(name, func(t *testing.T) { f(t, machines[name], rand.New(rand.NewPCG(1, 2))) })
	}
}

func TestEnumerate(t *testing.T) {
	each(t, func(t *testing.T, m machine, r *rand.Rand) {
		l := m.layout()
		if l.Size() != m.size || l.Compacted() != m.compact || l.String() != m.shown {
			t.Errorf("size %d, %d compacted, of %v", l.Size(), l.Compacted(), l)
		}
		regs, ok := l.Registers(m.state(r))
		if !ok || regs.Count != m.vectors || regs.Width != m.width || regs.HasMasks != (m.width == 64) {
			t.Errorf("%d registers of %d bytes, masks %v", regs.Count, regs.Width, regs.HasMasks)
		}
	})
}

// The registers that a processor has are stored and loaded.
func TestStoreOnEach(t *testing.T) {
	each(t, func(t *testing.T, m machine, r *rand.Rand) {
		l, v := m.layout(), random(r)
		state := make([]byte, l.Size())
		l.Store(state, &v, everything, ignore)
		var got interp.Vectors
		if !l.Load(state, &got) {
			t.Fatal("too short")
		}
		for n := range got.Reg {
			want := interp.Vector{}
			if n < m.vectors {
				copy(want[:m.width/8], v.Reg[n][:])
			}
			if got.Reg[n] != want {
				t.Errorf("register %d is %x, want %x", n, got.Reg[n], want)
			}
		}
	})
}

// A component that is not marked as in use equals one that is marked and has its initial
// values (Intel's manual, volume 1, 13.6), whatever its memory holds.
func TestMeaning(t *testing.T) {
	each(t, func(t *testing.T, m machine, r *rand.Rand) {
		l := m.layout()
		for bit := range 64 {
			if l.Mask()>>bit&1 == 0 {
				continue
			}
			unmarked := m.state(r)
			binary.LittleEndian.PutUint64(unmarked[512:], l.Mask()&^(1<<bit))
			initial := slices.Clone(unmarked)
			binary.LittleEndian.PutUint64(initial[512:], l.Mask())
			switch bit {
			case 0:
				clear(initial[:24])
				clear(initial[32:160])
				initial[0], initial[1] = 0x7f, 0x03
			case 1:
				clear(initial[160:416])
				if l.Mask()&4 == 0 {
					binary.LittleEndian.PutUint32(initial[24:], 0x1f80)
				}
			default:
				c := l.Components()[slices.IndexFunc(l.Components(), func(c xsave.Component) bool { return c.Number == bit })]
				clear(initial[c.Offset:][:c.Size])
			}
			if d := l.Difference(unmarked, initial); d != "" {
				t.Errorf("component %d: %s", bit, d)
			}
			for _, state := range [][]byte{initial, unmarked} {
				other := slices.Clone(state)
				at := 0 // of a byte of another component
				if bit == 0 {
					at = 165
				}
				other[at] ^= 1
				if l.Equal(unmarked, other) {
					t.Errorf("component %d: byte %d is not compared", bit, at)
				}
			}
		}
	})
}

// Each byte of the components is compared, and no other.
func TestDifference(t *testing.T) {
	each(t, func(t *testing.T, m machine, r *rand.Rand) {
		l, state := m.layout(), m.state(r)
		for at := 0; at < len(state); at += 1 + at/600 {
			other := slices.Clone(state)
			other[at] ^= 0x10
			software := at >= 464 && at < 512
			inUse := at >= 512 && at < 520
			if inUse { // clears a mark, or sets one that means nothing
				continue
			}
			if d := l.Difference(state, other); (d == "") != software {
				t.Fatalf("byte %d: %q", at, d)
			}
		}
	})
	m := machines["AMX"]
	state := m.state(rand.New(rand.NewPCG(1, 2)))
	for at, want := range map[int]string{0: "x87", 33: "x87", 24: "SSE", 170: "SSE", 700: "AVX", 1100: "AVX-512 masks", 3000: "AMX tiles", 530: "the header"} {
		other := slices.Clone(state)
		other[at] ^= 1
		if d := m.layout().Difference(state, other); !strings.HasPrefix(d, want+", at byte ") {
			t.Errorf("byte %d: %s", at, d)
		}
	}
	if d := m.layout().Difference(state, state[:600]); d != "one has 11008 bytes, the other 600" {
		t.Error(d)
	}
}

// A state tells on any machine which layout it has. What has no place there is refused with
// both layouts; the rest keeps its meaning.
func TestForeignState(t *testing.T) {
	each(t, func(t *testing.T, from machine, r *rand.Rand) {
		state := from.state(r)
		later := from.size == machines["a later one"].size
		for name, to := range machines {
			got := xsave.OfMachine(state, to.layout())
			if !slices.Equal(got.Components(), from.layout().Components()) && !later {
				t.Errorf("on %s it is taken for %v", name, got)
			}
			own, err := xsave.OwnOf(state, to.layout())
			var refused *xsave.LayoutError
			missing := from.layout().Mask() &^ to.layout().Mask()
			switch {
			case later && name == "a later one", missing == 0 && !later:
				if err != nil {
					t.Errorf("to %s: %v", name, err)
				} else if d := sameRegisters(from.layout(), state, to.layout(), own); d != "" {
					t.Errorf("to %s: %s", name, d)
				}
			case !errors.As(err, &refused):
				t.Errorf("to %s: %v, want a refusal", name, err)
			case !strings.Contains(err.Error(), to.layout().String()) || !strings.Contains(err.Error(), from.layout().String()):
				t.Errorf("to %s: %v", name, err)
			}
		}
	})
}

// What is in its initial state needs no place, nor do protection keys without a use.
func TestConvertUnused(t *testing.T) {
	from, to := machines["APX"], machines["AVX"]
	state := from.state(rand.New(rand.NewPCG(1, 2)))
	binary.LittleEndian.PutUint64(state[512:], 1<<9|7)
	copy(state[2688:], []byte{0x54, 0x55, 0x55, 0x55, 0, 0, 0, 0})
	own, err := xsave.OwnOf(state, to.layout())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(own[:464], state[:464]) || !slices.Equal(own[576:], state[576:832]) || own[512] != 7 || own[464] != 7 {
		t.Error("it means something else")
	}
	state[2688] = 0
	if _, err := xsave.OwnOf(state, to.layout()); err == nil || !strings.HasPrefix(err.Error(), "PKRU is in use in the vector state of a processor with x87, SSE, AVX, AVX-512 masks") {
		t.Error(err)
	}
}

func sameRegisters(from xsave.Layout, a []byte, to xsave.Layout, b []byte) string {
	x, ok := from.Registers(a)
	y, ok2 := to.Registers(b)
	if !ok || !ok2 || x.X87 != y.X87 || x.MXCSR != y.MXCSR || x.Masks != y.Masks {
		return "other registers"
	}
	for n := range x.Count {
		if !slices.Equal(x.Vectors[n][:x.Width], y.Vectors[n][:x.Width]) {
			return "another vector register"
		}
	}
	for _, c := range from.Components() {
		for _, o := range to.Components() {
			if o.Number == c.Number && !slices.Equal(a[c.Offset:][:c.Size], b[o.Offset:][:c.Size]) {
				return "another component"
			}
		}
	}
	return ""
}

// What no processor says is left out.
func TestHostileComponents(t *testing.T) {
	l := xsave.New([]xsave.Component{
		{Number: 2, Offset: 576, Size: 256},
		{Number: 5, Offset: 600, Size: 64},        // in another one
		{Number: 6, Offset: 512, Size: 64},        // the header
		{Number: 7, Offset: 1 << 40, Size: 64},    // too far
		{Number: 9, Offset: 1000, Size: 1 << 30},  // too large
		{Number: 10, Offset: 1000, Size: -1},      // less than nothing
		{Number: 2, Offset: 2000, Size: 256},      // twice
		{Number: 0, Offset: 3000, Size: 8},        // of the legacy region
		{Number: 63, Offset: 3000, Size: 8},       // none
		{Number: 11, Offset: 0, Size: 0},          // empty
		{Number: 12, Offset: 1<<16 - 8, Size: 16}, // over the end
	})
	if got := l.Components(); len(got) != 1 || got[0].Offset != 576 {
		t.Errorf("%+v", got)
	}
}
