package interp_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86test"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestVectors goes through all opcodes of vector instructions, in all encodings,
// and executes each several times in a Machine and on the processor, from the
// same random state: all registers, MXCSR and memory must be equal afterwards.
// What this processor does not have is left out by the machine, too.
func TestVectors(t *testing.T) {
	rounds := sample.Count(2, 20)
	v := newVectorDuel(t)
	v.sweep(rounds)
	var never []string
	for _, stem := range interp.AvailableStems() {
		if v.stems[stem] == 0 {
			never = append(never, stem)
		}
	}
	t.Logf("%d instructions executed, %d given up, %d names", v.done, v.givenUp, len(v.stems))
	if len(never) > 0 && rounds > 2 {
		t.Errorf("never executed: %v", never)
	}
}

// TestControl does the same with instructions on the state as a whole.
func TestControl(t *testing.T) {
	v := newVectorDuel(t)
	v.flavours = []flavour{ // words for control, of which some are allowed
		func(r *rand.Rand) uint64 { return r.Uint64N(1 << 16) },
		func(r *rand.Rand) uint64 { return r.Uint64N(32)<<8 | 0x7f },
	}
	for name, code := range map[string][]byte{
		"vzeroupper": {0xc5, 0xf8, 0x77}, "vzeroall": {0xc5, 0xfc, 0x77}, "fnstcw": {0xd9, 0x3e}, "fldcw": {0xd9, 0x2e},
		"ldmxcsr": {0x0f, 0xae, 0x16}, "stmxcsr": {0x0f, 0xae, 0x1e}, "vstmxcsr": {0xc5, 0xf8, 0xae, 0x1e},
	} {
		for range 50 {
			v.tryVector(append(slices.Clone(code), make([]byte, x86.MaxLen-len(code))...))
		}
		if stem := strings.TrimPrefix(name, "v"); v.stems[stem] == 0 {
			t.Logf("this processor has no %s", name)
		}
	}
	if v.stems["ldmxcsr"] == 0 || v.stems["fldcw"] == 0 || v.stems["fnstcw"] == 0 {
		t.Errorf("executed %v", v.stems)
	}
}

// A vectorDuel is a duel with vectors.
type vectorDuel struct {
	*duel
	layout   xsave.Layout
	native   []byte // extended state of the child
	start    interp.Vectors
	flavours []flavour
	stems    map[string]int
	givenUp  int
}

func newVectorDuel(t *testing.T) *vectorDuel {
	t.Helper()
	v := &vectorDuel{duel: newDuel(t), layout: xsave.Machine(), flavours: flavours, stems: make(map[string]int)}
	v.native = make([]byte, v.c.XState)
	v.c.ReadState(v.native)
	v.m.UseVectors(func(to *interp.Vectors) bool {
		*to = v.start
		return true
	})
	return v
}

// sweep tries each opcode in each encoding.
func (v *vectorDuel) sweep(rounds int) {
	for _, prefix := range vectorPrefixes() {
		for opcode := range 256 {
			if !v.interesting(append(slices.Clone(prefix), byte(opcode))) {
				continue
			}
			enough := v.done + rounds
			for tries := 0; v.done < enough && tries < 12*rounds; tries++ {
				v.tryVector(v.complete(prefix, byte(opcode)))
			}
		}
	}
}

// vectorPrefixes are all ways to begin a vector instruction, but for registers.
func vectorPrefixes() [][]byte {
	var all [][]byte
	for m := range byte(3) {
		escape := [][]byte{{0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}}[m]
		for pp := range byte(4) {
			for w := range byte(2) {
				legacy := append([]byte{0x66, 0xf3, 0xf2}[max(pp, 1)-1:][:min(pp, 1)], 0x40|w<<3)
				all = append(all, append(slices.Clone(legacy), escape...))
				for length := range byte(3) {
					if length < 2 {
						all = append(all, []byte{0xc4, 0xe0 | (m + 1), w<<7 | length<<2 | pp})
					}
					all = append(all, []byte{0x62, 0xf0 | (m + 1), w<<7 | 4 | pp, length << 5})
				}
			}
		}
	}
	return all
}

// interesting reports whether an opcode may be one that the machine executes.
func (v *vectorDuel) interesting(start []byte) bool {
	for range 64 {
		in, err := x86.Decode(v.complete(start[:len(start)-1], start[len(start)-1]), x86test.Code)
		if err == nil && interp.Knows(&in) {
			return true
		}
	}
	return false
}

// complete adds registers, masks, memory and immediates.
func (v *vectorDuel) complete(prefix []byte, opcode byte) []byte {
	b := slices.Clone(prefix)
	pick := func(n uint32) byte { return byte(v.rng.Uint32N(n)) }
	registers := pick(2) * (pick(8) << 5)
	if pick(3) == 0 {
		registers = 0
	}
	switch b[0] {
	case 0xc4:
		b[1] ^= registers
		if pick(3) != 0 {
			b[2] |= pick(16) << 3
		} else {
			b[2] |= 0x78
		}
	case 0x62:
		b[1] ^= registers | pick(2)<<4
		b[2] |= 0x78
		b[3] |= 8
		if pick(4) != 0 {
			b[2] = b[2]&^0x78 | pick(16)<<3
			b[3] ^= pick(2) << 3
		}
		if pick(2) == 0 {
			b[3] |= pick(2)<<7 | pick(8)
		}
		if pick(8) == 0 {
			b[3] |= 1 << 4
		}
	default:
		rex := len(b) - 2
		for b[rex]&0xf0 != 0x40 {
			rex--
		}
		b[rex] |= pick(2) * pick(8)
	}
	b = append(b, opcode)
	b = append(b, byte(v.rng.Uint32()))
	for bits := []uint32{0xff, 0xff, 0x0f}[pick(3)]; len(b) < x86.MaxLen; {
		b = append(b, byte(v.rng.Uint32()&bits)) // displacements and immediates
	}
	return b
}

// tryVector executes an instruction twice.
func (v *vectorDuel) tryVector(code []byte) {
	v.t.Helper()
	in, err := x86.Decode(code, x86test.Code)
	if err != nil || !interp.Knows(&in) {
		return
	}
	clear(v.code[:])
	copy(v.code[:], code)
	flavour := v.flavours[v.rng.IntN(len(v.flavours))]
	v.randomVectors(flavour)
	start := v.registers(&in)
	if in.Class.Is(x86.Memory) && in.Mem.Base < 16 {
		if v.rng.IntN(4) != 0 {
			start.GPR[in.Mem.Base] -= in.Addr(&start.Regs) & 63
		}
		v.randomMemory(flavour, in.Addr(&start.Regs))
	}
	v.m.DropPages()
	v.m.InvalidateVectors()
	v.m.State = start
	if !v.m.Step() {
		v.givenUp++
		if v.m.State != start || len(v.m.Writes()) != 0 || v.m.ChangedVectors() != (interp.VectorChange{}) {
			v.fault(&in, "given up, but changed")
		}
		return
	}
	v.done++
	v.stems[in.Stem()]++
	v.compareVectors(&in, code, &start)
}

// everything is all of the vector state.
var everything = interp.VectorChange{Reg: 1<<32 - 1, Mask: 0xff, MXCSR: true, Control: true}

// compareVectors lets the processor do what the machine has done.
func (v *vectorDuel) compareVectors(in *x86.Inst, code []byte, start *interp.State) {
	v.t.Helper()
	v.layout.Store(v.native, &v.start, everything, func(int, uint64, uint64) {})
	v.c.WriteState(v.native)
	want, signal := v.signalled(code, start)
	if signal != syscall.SIGTRAP {
		v.fault(in, "the processor says %v to % x", signal, code[:in.Len])
		return
	}
	v.c.ReadState(v.native)
	var after interp.Vectors
	v.layout.Load(v.native, &after)
	got, changed := v.m.Vectors(), v.m.ChangedVectors()
	if changed == (interp.VectorChange{}) {
		got = &v.start
	}
	for n := range after.Reg {
		v.compareRegister(in, n, got.Reg[n], after.Reg[n], changed.Reg>>n&1 != 0)
	}
	for n := range after.Mask {
		if got.Mask[n] != after.Mask[n] || changed.Mask>>n&1 == 0 && v.start.Mask[n] != after.Mask[n] {
			v.fault(in, "k%d is %x, want %x, was %x", n, got.Mask[n], after.Mask[n], v.start.Mask[n])
		}
	}
	if got.MXCSR != after.MXCSR || !changed.MXCSR && after.MXCSR != v.start.MXCSR {
		v.fault(in, "mxcsr is %x, want %x, was %x", got.MXCSR, after.MXCSR, v.start.MXCSR)
	}
	if got.Control != after.Control || !changed.Control && after.Control != v.start.Control {
		v.fault(in, "control word is %x, want %x, was %x", got.Control, after.Control, v.start.Control)
	}
	v.compare(in, start, want)
}

func (v *vectorDuel) compareRegister(in *x86.Inst, n int, got, want interp.Vector, told bool) {
	v.t.Helper()
	if got != want {
		v.fault(in, "zmm%d is\n%016x, want\n%016x, was\n%016x, mxcsr %x", n, got, want, v.start.Reg[n], v.start.MXCSR)
	}
	if want != v.start.Reg[n] && !told {
		v.fault(in, "zmm%d has changed, but that is not told", n)
	}
}

// signalled is onProcessor for instructions that it may not have.
func (v *vectorDuel) signalled(code []byte, start *interp.State) (interp.State, syscall.Signal) {
	v.t.Helper()
	native := v.c.Regs
	setRegs(&native, start)
	signal := v.c.Step(code, &native)
	return getRegs(&native, start), signal
}

// A flavour makes up 64 bits of a vector.
type flavour func(r *rand.Rand) uint64

// flavours make bits of all kinds: numbers with many and few digits, of about the
// same size and far apart, and what is no ordinary number.
var flavours = []flavour{
	func(r *rand.Rand) uint64 { return r.Uint64() },
	func(r *rand.Rand) uint64 { return r.Uint64() & 0x0303030303030303 },
	func(r *rand.Rand) uint64 { return math.Float64bits(r.NormFloat64()) },
	func(r *rand.Rand) uint64 { return math.Float64bits(float64(r.IntN(64)-32) / 4) },
	func(r *rand.Rand) uint64 { return math.Float64bits(math.Ldexp(r.NormFloat64(), r.IntN(120)-60)) },
	func(r *rand.Rand) uint64 { return singles(r, func() float32 { return float32(r.NormFloat64()) }) },
	func(r *rand.Rand) uint64 { return singles(r, func() float32 { return float32(r.IntN(64)-32) / 4 }) },
	func(r *rand.Rand) uint64 {
		return singles(r, func() float32 { return float32(math.Ldexp(r.NormFloat64(), r.IntN(60)-30)) })
	},
	func(r *rand.Rand) uint64 {
		return math.Float64bits(specials[r.IntN(len(specials))]) | r.Uint64N(2)<<63
	},
	func(r *rand.Rand) uint64 {
		return singles(r, func() float32 { return float32(specials[r.IntN(len(specials))]) })
	},
	func(r *rand.Rand) uint64 { return math.Float64bits(math.Ldexp(1+r.Float64(), r.IntN(2140)-1070)) },
}

func singles(_ *rand.Rand, f func() float32) uint64 {
	return uint64(math.Float32bits(f())) | uint64(math.Float32bits(f()))<<32
}

var specials = []float64{
	0, 1, 1.5, 2, 0x1p52, 0x1p63, -0x1p63, 0x1p31, 0x1p-126, 0x1p-127, 0x1p-149, 0x1p127, math.MaxFloat32, math.MaxFloat64,
	0x1p-1022, 0x1p-1074, 0x1p1023, math.Inf(1), math.NaN(), math.Inf(-1), 0.5, -0.5, 2.5, 1e-300, 1e300,
}

// randomVectors makes a state of vectors.
func (v *vectorDuel) randomVectors(make flavour) {
	levels := v.rng.IntN(3)
	for n := range v.start.Reg {
		for quad := range v.start.Reg[n] {
			v.start.Reg[n][quad] = 0
			if quad < 2<<levels {
				v.start.Reg[n][quad] = make(v.rng)
			}
		}
		if v.rng.IntN(4) == 0 && n > 0 {
			v.start.Reg[n] = v.start.Reg[n-1]
		}
	}
	for n := range v.start.Mask {
		v.start.Mask[n] = v.rng.Uint64() & v.rng.Uint64() >> v.rng.IntN(64)
	}
	v.start.Control = 0x37f &^ uint16(v.rng.Uint32N(16)<<8)
	v.start.MXCSR = 0x1f80 | v.rng.Uint32N(64)
	if v.rng.IntN(16) == 0 {
		v.start.MXCSR ^= 1 << (6 + v.rng.IntN(10))
	}
	v.fit()
}

// fit takes away what this processor does not have.
func (v *vectorDuel) fit() {
	v.layout.Store(v.native, &v.start, everything, func(int, uint64, uint64) {})
	v.layout.Load(v.native, &v.start)
}

// randomMemory puts numbers where an instruction will find them.
func (v *vectorDuel) randomMemory(make flavour, addr uint64) {
	v.t.Helper()
	at := addr - x86test.Data
	if at >= x86test.DataSize-64 {
		return
	}
	for n := uint64(0); n < 64; n += 8 {
		binary.LittleEndian.PutUint64(v.data[at+n:], make(v.rng))
	}
	v.c.Write(addr, v.data[at:at+64])
}
