package interp_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86test"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestProcessor executes random instructions twice, in a Machine and on the
// processor, from the same registers and memory: everything must be equal
// afterwards, flags that the manuals leave undefined apart.
func TestProcessor(t *testing.T) {
	n := sample.Count(10_000, 200_000)
	d := newDuel(t)
	for range n {
		d.try()
	}
	t.Logf("%d instructions executed, %d names", d.done, len(d.names))
	var never []string
	for _, name := range interp.AvailableNames() {
		if d.names[name] == 0 && !slices.Contains(strings.Fields(elsewhere), name) {
			never = append(never, name)
		}
	}
	if n >= 100_000 && len(never) > 0 {
		t.Errorf("never executed: %v", never)
	}
}

// elsewhere lists the instructions that random bytes form too rarely: absolute
// addresses of data, and instructions without effect.
const elsewhere = "movabs endbr32 endbr64"

// A duel is a machine and the processor.
type duel struct {
	t      *testing.T
	c      *x86test.Child
	m      *interp.Machine
	rng    *rand.Rand
	code   [interp.PageSize]byte
	data   []byte // what the machine works on
	after  []byte // what the processor has made of it
	names  map[string]int
	done   int
	faults map[string]int
}

func newDuel(t *testing.T) *duel {
	t.Helper()
	d := &duel{
		t: t, c: x86test.Start(t), rng: rand.New(rand.NewPCG(5, 6)),
		data: make([]byte, x86test.DataSize), after: make([]byte, x86test.DataSize), names: make(map[string]int), faults: make(map[string]int),
	}
	d.m = interp.New(d)
	for n := 0; n < len(d.data); n += 8 {
		binary.LittleEndian.PutUint64(d.data[n:], d.value())
	}
	d.c.Write(x86test.Data, d.data)
	return d
}

// Load gives the machine its pages: one of code, and the data.
func (d *duel) Load(addr uint64, page *interp.Page) bool {
	switch {
	case addr == x86test.Code:
		page.Data, page.Executable = d.code, true
		return true
	case addr-x86test.Data < x86test.DataSize:
		copy(page.Data[:], d.data[addr-x86test.Data:])
		page.Writable = true
		return true
	}
	return false
}

// TestDifferences executes instructions that processors execute differently, see
// [x86.Processor].
func TestDifferences(t *testing.T) {
	d := newDuel(t)
	if !d.m.Processor.Known {
		t.Skip("what this processor does is not known: ", d.m.Processor.Maker)
	}
	for _, code := range [][]byte{{0xf3, 0x41, 0x90}, {0xf3, 0x45, 0x90}, {0xf3, 0x4d, 0x90}, {0x41, 0x90}, {0xf3, 0x90}} { // pause and xchg
		for range 50 {
			d.tryCode(code)
		}
	}
	for _, code := range [][]byte{
		{0xae}, {0x66, 0xaf}, {0xaf}, {0x48, 0xaf}, // scas
		{0xa6}, {0x66, 0xa7}, {0xa7}, {0x48, 0xa7}, // cmps
	} {
		d.tryRepeats(code)
	}
	if d.done != 5*50+8*3*100 {
		t.Errorf("%d were executed", d.done)
	}
}

// tryRepeats executes a comparison of strings with each prefix and with none. Half of the values
// are equal, so that of both prefixes one ends the loop and the other does not.
func (d *duel) tryRepeats(code []byte) {
	d.t.Helper()
	for n := range 100 {
		clear(d.data)
		for i := range d.data {
			if n%2 == 0 {
				d.data[i] = byte(i + 1)
			}
		}
		d.c.Write(x86test.Data, d.data)
		for _, prefix := range [][]byte{{0xf2}, {0xf3}, nil} {
			whole := slices.Concat(prefix, code)
			in, err := x86.Decode(whole, x86test.Code)
			if err != nil {
				d.t.Fatal(err)
			}
			start := d.registers(&in)
			start.GPR[x86.RAX], start.GPR[x86.RCX] = 0, d.rng.Uint64N(4)
			d.run(whole, &in, &start)
		}
	}
}

func (d *duel) try() { d.tryCode(d.randomCode()) }

func (d *duel) tryCode(code []byte) {
	d.t.Helper()
	in, err := x86.Decode(code, x86test.Code)
	if err != nil {
		return
	}
	start := d.registers(&in)
	d.run(code, &in, &start)
}

func (d *duel) run(code []byte, in *x86.Inst, start *interp.State) {
	d.t.Helper()
	clear(d.code[:])
	copy(d.code[:], code)
	d.m.DropPages()
	d.m.State = *start
	if !d.m.Step() {
		if d.m.State != *start || len(d.m.Writes()) != 0 {
			d.fault(in, "given up, but changed: %x", d.m.Writes())
		}
		return
	}
	d.done++
	d.names[in.Name()]++
	d.compare(in, start, d.onProcessor(code, start))
}

// onProcessor executes the code and returns the registers behind it.
func (d *duel) onProcessor(code []byte, start *interp.State) interp.State {
	d.t.Helper()
	native := d.c.Regs
	setRegs(&native, start)
	if signal := d.c.Step(code, &native); signal != syscall.SIGTRAP {
		d.t.Errorf("% x: the processor says %v", code, signal)
	}
	return getRegs(&native, start)
}

// setRegs makes native registers what the machine begins with.
func setRegs(native *syscall.PtraceRegs, start *interp.State) {
	for n, r := range gprs(native) {
		*r = start.GPR[n]
	}
	native.Eflags, native.Fs_base, native.Gs_base, native.Orig_rax = start.Flags, start.FSBase, start.GSBase, 1<<64-1
}

// getRegs returns the state that start has become.
func getRegs(native *syscall.PtraceRegs, start *interp.State) interp.State {
	end := *start
	for n, r := range gprs(native) {
		end.GPR[n] = *r
	}
	end.Flags, end.RIP = native.Eflags, native.Rip
	return end
}

func gprs(r *syscall.PtraceRegs) []*uint64 {
	return []*uint64{
		&r.Rax, &r.Rcx, &r.Rdx, &r.Rbx, &r.Rsp, &r.Rbp, &r.Rsi, &r.Rdi,
		&r.R8, &r.R9, &r.R10, &r.R11, &r.R12, &r.R13, &r.R14, &r.R15,
	}
}

func (d *duel) fault(in *x86.Inst, format string, args ...any) {
	d.t.Helper()
	if d.faults[in.Stem()]++; d.faults[in.Stem()] > 3 {
		return
	}
	d.t.Errorf("%s: "+format, append([]any{in.Text(nil)}, args...)...)
}

// compare checks that the machine has the same state as the processor, and has
// reported its changes.
func (d *duel) compare(in *x86.Inst, start *interp.State, want interp.State) {
	d.t.Helper()
	got := d.m.State
	for n := range got.GPR {
		if got.GPR[n] != want.GPR[n] {
			d.fault(in, "%s is %x, want %x, was %x", x86.Reg(n), got.GPR[n], want.GPR[n], start.GPR[n])
		}
		if start.GPR[n] != want.GPR[n] && d.m.Changed()>>n&1 == 0 {
			d.fault(in, "%s changed, but that is not told", x86.Reg(n))
		}
	}
	if got.RIP != want.RIP {
		d.fault(in, "rip is %x, want %x", got.RIP, want.RIP)
	}
	if diff := (got.Flags ^ want.Flags) & 0xcd5 &^ undefined(in); diff != 0 {
		d.fault(in, "flags are %x, want %x, were %x, differ in %x", got.Flags, want.Flags, start.Flags, diff)
	}
	d.compareMemory(in)
}

func (d *duel) compareMemory(in *x86.Inst) {
	d.t.Helper()
	d.c.Read(x86test.Data, d.after)
	clean := bytes.Clone(d.data) // but for what the machine has written
	d.m.Dirty(func(addr uint64, page *interp.Page) { copy(clean[addr-x86test.Data:], page.Data[:]) })
	if !bytes.Equal(clean, d.after) {
		d.fault(in, "wrote %x, and that is not what the processor wrote", d.m.Writes())
	}
	d.compareUndone(in)
	d.data, d.after = d.after, d.data
}

// compareUndone asks whether the machine can take back what it wrote.
func (d *duel) compareUndone(in *x86.Inst) {
	d.t.Helper()
	d.m.Undo()
	clean := true
	d.m.Dirty(func(addr uint64, page *interp.Page) {
		clean = clean && bytes.Equal(page.Data[:], d.data[addr-x86test.Data:][:interp.PageSize])
	})
	if !clean {
		d.fault(in, "Undo has not brought back what was there")
	}
}

// Flags, by the names of the manuals.
const (
	cf, pf, af, zf, sf, of = 1 << 0, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11
	all                    = cf | pf | af | zf | sf | of
)

// undefined returns the flags that the manuals leave undefined. Overflow is
// defined for shifts and rotations by one.
func undefined(in *x86.Inst) uint64 {
	flags := undefinedFlags[in.Name()]
	if count := in.Operand(1); flags == af|of || flags == of {
		if count.Kind == x86.Immediate && count.Value == 1 {
			return flags &^ of
		}
	}
	return flags
}

var undefinedFlags = map[string]uint64{
	"and": af, "or": af, "xor": af, "test": af, "andn": af | pf, "blsr": af | pf, "blsi": af | pf, "blsmsk": af | pf,
	"shl": af | of, "shr": af | of, "sar": af | of, "rol": of, "ror": of, // of for counts above one
	"shld": af | of, "shrd": af | of, "bextr": af | sf | pf, "bzhi": af | pf,
	"imul": sf | zf | af | pf, "mul": sf | zf | af | pf, "div": all, "idiv": all,
	"bt": of | sf | af | pf, "bts": of | sf | af | pf, "btr": of | sf | af | pf, "btc": of | sf | af | pf,
	"bsf": all &^ zf, "bsr": all &^ zf, "tzcnt": all &^ (zf | cf), "lzcnt": all &^ (zf | cf),
}

func (d *duel) registers(in *x86.Inst) interp.State {
	s := interp.State{RIP: x86test.Code}
	for n := range s.GPR {
		s.GPR[n] = d.value()
	}
	for _, n := range []x86.Reg{x86.RSP, x86.RBP, x86.RSI, x86.RDI} {
		s.GPR[n] = d.pointer()
	}
	if d.rng.IntN(2) == 0 {
		s.GPR[x86.RCX] = d.rng.Uint64N(70)
	}
	s.FSBase, s.GSBase = d.rng.Uint64N(1<<20), d.rng.Uint64N(1<<20)
	s.Flags = 0x202 | d.rng.Uint64()&0xcd5
	if in.Class.Is(x86.Memory) && in.Mem.Base < 16 && in.Mem.Base != in.Mem.Index {
		if in.Mem.Index < 16 && in.Mem.Index != x86.RSP {
			s.GPR[in.Mem.Index] = d.rng.Uint64N(64)
		}
		s.GPR[in.Mem.Base] += d.pointer() + d.rng.Uint64N(8) - in.Addr(&s.Regs)
	}
	return s
}

func (d *duel) value() uint64 {
	switch d.rng.IntN(5) {
	case 0:
		return d.rng.Uint64N(256)
	case 1:
		return -d.rng.Uint64N(256)
	case 2:
		return x86test.Code + d.rng.Uint64N(256)
	case 3:
		return 1 << d.rng.IntN(64)
	}
	return d.rng.Uint64()
}

func (d *duel) pointer() uint64 {
	return x86test.Data + x86test.DataSize/4 + d.rng.Uint64N(x86test.DataSize/2)&^7
}

// randomCode makes up a general instruction.
func (d *duel) randomCode() []byte {
	b := make([]byte, 0, 32)
	pick := func(n uint32) byte { return byte(d.rng.Uint32N(n)) }
	if d.rng.IntN(3) == 0 {
		b = append(b, []byte{0x66, 0xf2, 0xf3, 0x64, 0x65, 0x67, 0xf0, 0x66}[pick(8)])
	}
	switch d.rng.IntN(8) {
	case 0, 1, 2:
		b = append(b, 0x40|pick(16), pick(255))
	case 3, 4:
		b = append(b, 0x40|pick(16), 0x0f, pick(255))
	case 5:
		b = append(b, pick(255))
	case 6:
		b = append(b, 0x40|pick(16), 0x0f, 0x38, []byte{0xf0, 0xf1, 0xf6}[pick(3)])
	default:
		b = append(b[:0], 0xc4, 0xe2|pick(2), pick(2)<<7|pick(16)<<3|pick(4), 0xf0|pick(8))
	}
	for len(b) < cap(b) {
		b = append(b, byte(d.rng.Uint32()))
	}
	return b[:x86.MaxLen]
}
