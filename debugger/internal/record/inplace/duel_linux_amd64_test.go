package inplace_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86test"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// Memory of the processes that execute random code. The arena of the code cache lies
// below the code, so that one of the segments of data is farther than 2 GiB from it.
const (
	codeAt   = 0x10_0000_0000
	codeSize = 1 << 12
	jitAt    = codeAt + 1<<20 // executable and writable
	nearAt   = codeAt + 16<<20
	farAt    = codeAt + 1700<<20
	dataAt   = 0x20_0000_0000
	dataSize = 1 << 14

	cacheAt   = codeAt - 4000<<20
	cacheSize = 3900 << 20

	// the arena for the code that is 4 GiB above the other
	highCacheAt   = codeAt + 2000<<20
	highCacheSize = 1900 << 20
)

// inCache reports whether the code cache may have an address, at which only the translated
// process has memory.
func inCache(addr uint64) bool {
	return addr-cacheAt < cacheSize || addr-highCacheAt < highCacheSize
}

var dataSegments = []uint64{jitAt, nearAt, farAt, dataAt}

// codeSegments have code that is not writable. The last ones have the low bits of the first.
var codeSegments = []uint64{codeAt, codeAt + 1<<16, codeAt + 1<<32}

// A duel is two processes of the same program: one executes its code translated, the
// other in single steps.
type duel struct {
	t      *testing.T
	tracer *ptrace.Tracer
	runner *inplace.Runner
	native int
	memory *ptrace.Memory // of native
	rng    *rand.Rand
	start  ptrace.Regs
	state  []byte // vector registers

	changes bool // the code may be written, and writes itself

	code     []byte // of the current try
	most     int    // instructions of a try
	steps    int
	executed int
	signals  map[syscall.Signal]int
}

// newDuel calls f with a duel, on the thread of a tracer.
func newDuel(t *testing.T, seed uint64, f func(d *duel)) {
	t.Helper()
	var segments []x86test.Segment
	for _, at := range codeSegments {
		segments = append(segments, x86test.Segment{Addr: at, Size: codeSize, Execute: true})
	}
	for _, at := range dataSegments {
		segments = append(segments, x86test.Segment{Addr: at, Size: dataSize, Write: true, Execute: at == jitAt})
	}
	program := filepath.Join(t.TempDir(), "child")
	if err := os.WriteFile(program, x86test.Program(segments...), 0o700); err != nil {
		t.Fatal(err)
	}
	tracer, err := ptrace.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	err = tracer.Do(t.Context(), func() error {
		d := &duel{t: t, tracer: tracer, rng: rand.New(rand.NewPCG(seed, 3)), signals: make(map[syscall.Signal]int), most: maxSteps}
		if err := caught(func() { d.open(program) }); err != nil {
			return err
		}
		defer d.close()
		err := caught(func() { f(d) })
		if err != nil {
			t.Logf("%d instructions of\n%s", d.steps, listing(d.code))
		}
		return err
	})
	report(t, err)
}

func (d *duel) open(program string) {
	d.t.Helper()
	pids := [2]int{}
	for n := range pids {
		pid, err := d.tracer.Launch(program, []string{program}, new(syscall.ProcAttr), ptrace.Options|ptrace.ExitKill)
		if err != nil {
			panic(skip(err.Error()))
		}
		pids[n] = pid
	}
	var err error
	d.runner, err = inplace.New(d.tracer, pids[0])
	allowed(err)
	d.native = pids[1]
	if d.memory, err = ptrace.OpenMemory(d.native); err != nil {
		d.failf("%v", err)
	}
	d.must(d.tracer.Regs(d.native, &d.start))
	d.state = make([]byte, 1<<14)
	n, err := d.tracer.XState(d.native, d.state)
	if err != nil {
		d.failf("%v", err)
	}
	d.state = d.state[:n]
}

func (d *duel) close() {
	_, _ = d.runner.Close(), d.memory.Close()
}

// try executes code from random registers in both processes and compares them. The
// code may be anything; what would leave the processes' own memory, or be different
// each time, is not executed.
func (d *duel) try(code []byte) {
	d.t.Helper()
	page := bytes.Repeat([]byte{0xcc}, codeSize)
	copy(page, code)
	at := uint64(codeAt)
	if d.changes || d.rng.IntN(16) == 0 {
		at = jitAt
	}
	regs := d.registers(at)
	d.vectors()
	for _, m := range []*ptrace.Memory{d.memory, d.runner.Memory()} {
		d.write(m, at, page)
	}
	if !d.changes {
		d.runner.Forget()
	}
	d.run(code, regs)
}

// run executes code that is there, see try.
func (d *duel) run(code []byte, regs ptrace.Regs) {
	d.t.Helper()
	steps, signal, want := d.step(regs)
	if d.code, d.steps = code, steps; steps < 0 {
		d.synchronize()
		return
	}
	d.translated(regs, steps, signal, want)
	d.executed += steps
	d.signals[signal]++
	d.compare(steps, &want)
}

// synchronize gives the translated process the memory of the other.
func (d *duel) synchronize() {
	for _, at := range dataSegments {
		b := make([]byte, dataSize)
		d.read(d.memory, at, b)
		d.write(d.runner.Memory(), at, b)
	}
}

// maxSteps limits the instructions of one try of random code.
const maxSteps = 80

// step executes code in single steps and returns the number of instructions, the
// signal that the next one raises, or 0, and the registers. The number is negative if the
// code accesses memory that only this process lacks.
func (d *duel) step(regs ptrace.Regs) (int, syscall.Signal, ptrace.Regs) {
	d.t.Helper()
	d.must(d.tracer.SetRegs(d.native, &regs))
	d.must(d.tracer.SetXState(d.native, d.state))
	watch := codeWatch{d: d, fresh: make(map[uint64]bool)}
	d.read(d.memory, jitAt, watch.code[:])
	steps := 0
	for iterations := 0; steps < d.most && iterations < 1000; iterations++ {
		in, ok := d.allowed(regs.RIP)
		if !ok || !watch.permits(&in) {
			break
		}
		d.must(d.tracer.Step(d.native, 0))
		event, err := d.tracer.Wait()
		d.must(err)
		if event.Kind != ptrace.SignalStop {
			d.failf("%s: %v", in.Text(nil), event.Kind)
		}
		info, err := d.tracer.SigInfo(d.native)
		d.must(err)
		before := regs.RIP
		d.must(d.tracer.Regs(d.native, &regs))
		if event.Signal == syscall.SIGSEGV && inCache(info.Address()) {
			return -1, 0, regs // the other process has the code cache there
		}
		if event.Signal != syscall.SIGTRAP || info.Code() != ptrace.CodeTrace {
			return steps, event.Signal, regs
		}
		if d.changes {
			watch.executed(&in, regs.RIP)
		}
		if regs.RIP != before || !in.Class.Is(x86.Repeat) {
			steps++
		}
	}
	return steps, 0, regs
}

// A codeWatch finds instructions that were changed without a jump behind the change. The
// translation of those may be the old one.
type codeWatch struct {
	d     *duel
	code  [codeSize]byte
	fresh map[uint64]bool // addresses of bytes that have changed since the last jump
}

// permits reports whether the next instruction has not changed since the last jump.
func (w *codeWatch) permits(in *x86.Inst) bool {
	for at := in.PC; at < in.Next(); at++ {
		if w.fresh[at] {
			return false
		}
	}
	return true
}

// executed notes what an instruction has changed.
func (w *codeWatch) executed(in *x86.Inst, pc uint64) {
	if jumps := in.Class&(x86.Jump|x86.Call|x86.Return) != 0; jumps && (pc != in.Next() || !in.Class.Is(x86.Cond)) {
		clear(w.fresh)
	}
	var now [codeSize]byte
	w.d.read(w.d.memory, jitAt, now[:])
	for n := range now {
		if now[n] != w.code[n] {
			w.fresh[jitAt+uint64(n)] = true
		}
	}
	w.code = now
}

// excluded names instructions whose results differ between two processes, or that
// change how steps are made.
var excluded = strings.Fields("rdtsc rdtscp rdpid rdpru rdrand rdseed cpuid rdpmc xgetbv " +
	"pushf pushfw mwaitx umwait tpause monitorx umonitor xbegin xend xabort xtest " +
	"lar lsl verr verw sgdt sidt sldt str smsw lfs lgs lss callf jmpf retf retfq iret iretw iretq " +
	"fnstenv fstenv fnsave fsave fxsave fxsave64 xsave xsave64 xsaveopt xsaveopt64 xsavec xsavec64 " + // the x87 instruction pointer
	"wrfsbase wrgsbase vmcall vmmcall vmfunc enclu getsec wrpkru")

// allowed decodes the instruction that the native process is about to execute.
func (d *duel) allowed(pc uint64) (x86.Inst, bool) {
	var b [x86.MaxLen]byte
	n, _ := d.memory.Read(pc, b[:])
	in, err := x86.Decode(b[:n], pc)
	switch {
	case err != nil:
		return in, n == 0 // jumped to where nothing is
	case in.Class&(x86.Syscall|x86.PopFlags) != 0, slices.Contains(excluded, in.Name()):
		return in, false
	case in.Class.Is(x86.Repeat) && d.count(pc) > 200:
		return in, false
	}
	if name := in.Name(); in.Operand(0).Kind == x86.Elsewhere && (name == "mov" || name == "pop") {
		return in, false // loads a segment register
	}
	return in, !(in.Class.Is(x86.Return) && in.Class.Is(x86.Barrier))
}

func (d *duel) count(uint64) uint64 {
	var regs ptrace.Regs
	d.must(d.tracer.Regs(d.native, &regs))
	return regs.RCX
}

// translated executes as many instructions translated, in quanta.
func (d *duel) translated(regs ptrace.Regs, steps int, signal syscall.Signal, want ptrace.Regs) {
	d.t.Helper()
	d.must(d.tracer.SetXState(d.runner.Thread(), d.state))
	d.runner.Regs = regs
	end := d.runner.Executed() + int64(steps)
	quantum := int64(d.most)
	if d.rng.IntN(3) == 0 {
		quantum = 1 + d.rng.Int64N(7)
	}
	whole := signal != 0 && d.rng.IntN(2) == 0
	for {
		left := end - d.runner.Executed()
		if left == 0 && signal == 0 {
			return
		}
		n := max(min(left, quantum), 1)
		if whole {
			n = translate.Shortest + left // the signal comes before
		}
		stop, err := d.runner.Run(d.t.Context(), n)
		if stop.Kind == inplace.Native && (left > 0 || signal != 0) {
			stop, err = d.runner.Step(context.Background())
		}
		d.must(err)
		info := d.runner.SigInfo()
		switch {
		case stop.Kind == inplace.Signal && (left != 0 && d.runner.Executed() != end || info.Signal() != signal):
			d.failf("%v after %d of %d instructions, want %v", info.Signal(), int64(steps)-end+d.runner.Executed(), steps, signal)
		case stop.Kind == inplace.Signal:
			return
		case stop.Kind != inplace.Done:
			d.failf("stop %d", stop.Kind)
		case d.runner.Executed() > end:
			d.compare(steps, &want)
			d.failf("no signal after %d instructions, want %v", steps, signal)
		}
	}
}

// compare compares the processes.
func (d *duel) compare(steps int, want *ptrace.Regs) {
	d.t.Helper()
	got := d.runner.Regs
	ignored := translate.DeadFlags(d.fetch, want.RIP) | ptrace.TrapFlag | ptrace.ResumeFlag
	got.EFlags |= ignored
	want.EFlags |= ignored
	got.OrigRAX = want.OrigRAX
	failed := false
	for n, name := range ptrace.RegNames {
		if g, w := got.Words()[n], want.Words()[n]; g != w {
			d.t.Errorf("%s is %#x, want %#x", name, g, w)
			failed = true
		}
	}
	failed = d.compareState() || failed
	for _, at := range dataSegments {
		g, w := make([]byte, dataSize), make([]byte, dataSize)
		d.read(d.runner.Memory(), at, g)
		d.read(d.memory, at, w)
		for n := range g {
			if g[n] != w[n] {
				d.t.Errorf("memory differs from %#x on", at+uint64(n))
				failed = true
				break
			}
		}
	}
	if failed {
		d.failf("after %d instructions", steps)
	}
}

// compareState compares the vector state, except the x87 instruction and operand pointers.
func (d *duel) compareState() bool {
	d.t.Helper()
	const pointers, pointersEnd = 6, 24
	got, want := make([]byte, len(d.state)), make([]byte, len(d.state))
	for tid, b := range map[int][]byte{d.runner.Thread(): got, d.native: want} {
		_, err := d.tracer.XState(tid, b)
		d.must(err)
		clear(b[pointers:pointersEnd])
	}
	difference := xsave.Machine().Difference(got, want)
	if difference != "" {
		d.t.Errorf("the vector state differs: %s", difference)
	}
	return difference != ""
}

func (d *duel) fetch(addr uint64, b []byte) int {
	for _, at := range codeSegments {
		if addr-at < codeSize {
			n, _ := d.memory.Read(addr, b[:min(uint64(len(b)), at+codeSize-addr)])
			return n
		}
	}
	return 0
}

func (d *duel) must(err error) {
	if err != nil {
		d.failf("%v", err)
	}
}

func (d *duel) failf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

func (d *duel) write(m *ptrace.Memory, at uint64, b []byte) {
	d.t.Helper()
	_, err := m.Write(at, b)
	d.must(err)
}

func (d *duel) read(m *ptrace.Memory, at uint64, b []byte) {
	d.t.Helper()
	_, err := m.Read(at, b)
	d.must(err)
}

// registers returns random registers, many of which point to data.
func (d *duel) registers(pc uint64) ptrace.Regs {
	r := d.start
	for n, name := range ptrace.RegNames {
		switch name {
		case "rsp", "rbp", "rsi", "rdi", "r8", "r12":
			r.Words()[n] = d.pointer()
		case "rax", "rdx", "rbx", "r9", "r10", "r11", "r13", "r14", "r15":
			r.Words()[n] = [...]uint64{d.rng.Uint64(), d.rng.Uint64N(256), d.pointer(), codeAt + d.rng.Uint64N(128), -d.rng.Uint64N(99)}[d.rng.IntN(5)]
		}
	}
	r.RCX, r.RIP, r.EFlags, r.OrigRAX = d.rng.Uint64N(70), pc, 0x202|d.rng.Uint64()&0xcd5, ptrace.NoSyscall
	return r
}

func (d *duel) pointer() uint64 {
	at := []uint64{nearAt, farAt, dataAt, dataAt}[d.rng.IntN(4)]
	return at + dataSize/4 + d.rng.Uint64N(dataSize/2)&^7
}

// vectors makes up the contents of the sse registers.
func (d *duel) vectors() {
	const xmm, xmmEnd, header = 160, 416, 512
	for n := xmm; n < xmmEnd; n += 8 {
		binary.LittleEndian.PutUint64(d.state[n:], d.rng.Uint64())
	}
	d.state[header] |= 3 // x87 and sse
}

// listing is the text of code up to the filling.
func listing(code []byte) string {
	var text strings.Builder
	for pc := uint64(codeAt); len(code) > 0; {
		in, err := x86.Decode(code, pc)
		n := max(int(in.Len), 1)
		_, _ = fmt.Fprintf(&text, "% x\t%s", code[:min(n, len(code))], x86.Text(code, pc, nil))
		_, _ = text.WriteString("\n")
		if err != nil && in.Len == 0 {
			break
		}
		code, pc = code[n:], pc+uint64(n)
	}
	return text.String()
}

// TestRandomCode executes random code translated and in single steps: registers,
// flags, vectors, memory, and the place of faults must be equal.
func TestRandomCode(t *testing.T) {
	n := sample.Count(150, 5_000)
	newDuel(t, 1, func(d *duel) {
		for range n {
			d.try(d.randomCode())
		}
		t.Logf("%d instructions executed, signals: %v", d.executed, d.signals)
		if d.executed < 2*n {
			t.Errorf("only %d instructions were executed in %d tries", d.executed, n)
		}
	})
}

// TestChangingCode is TestRandomCode for code that changes itself, and that has taken the
// place of other code unnoticed.
func TestChangingCode(t *testing.T) {
	n := sample.Count(60, 2_000)
	newDuel(t, 2, func(d *duel) {
		d.changes = true
		for range n {
			d.try(d.randomCode())
		}
		if d.executed < 2*n {
			t.Errorf("only %d instructions were executed in %d tries", d.executed, n)
		}
	})
}

// FuzzBlocks is TestRandomCode for code that the fuzzer makes up.
func FuzzBlocks(f *testing.F) {
	f.Add([]byte{0x48, 0x01, 0xd8, 0x75, 0xfb, 0xc3}, uint64(1))                               // add rax, rbx; jne; ret
	f.Add([]byte{0xe8, 2, 0, 0, 0, 0xeb, 4, 0x48, 0xff, 0xc8, 0xc3, 0xff, 0xe0}, uint64(2))    // call; jmp; dec rax; ret; jmp rax
	f.Add([]byte{0xf3, 0xa4, 0xe2, 0xfc, 0xe3, 0xfa}, uint64(3))                               // rep movsb; loop; jrcxz
	f.Add([]byte{0x48, 0x8b, 0x05, 0xf9, 0xff, 0xff, 0x00, 0xff, 0x25, 0, 0, 0, 1}, uint64(4)) // mov rax, [rip+d]; jmp [rip+d]
	f.Fuzz(func(t *testing.T, code []byte, seed uint64) {
		if len(code) > codeSize-16 {
			return
		}
		newDuel(t, seed, func(d *duel) {
			for range 4 {
				d.try(code)
			}
		})
	})
}
