package core_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// An oracle holds gdb's answers about a core file.
type oracle struct {
	Current int
	Signal  int
	Fault   uint64
	Threads map[int]oracleThread
	Memory  map[string]string // by address; "" where gdb can read nothing
}

type oracleThread struct {
	Registers map[string]uint64
	Vector    []string // in decimal
	Frames    []oracleFrame
	Stack     string
}

type oracleFrame struct {
	PC         uint64
	Name, Code string
	Line       int
	Variables  map[string]string
}

// need skips a test on a machine that lacks a tool.
func need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
}

// run runs a command; that it fails may be its purpose.
func run(t testing.TB, dir string, env []string, argv ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return string(out)
}

// compilers by the kind of source.
var compilers = map[string][]string{
	".c": {"gcc", "-g", "-O0", "-pthread"}, ".cc": {"g++", "-g", "-O0"}, ".rs": {"rustc", "-g"}, "": {"go", "build"},
}

// compile builds a program of testdata/programs.
func compile(t testing.TB, source string) string {
	t.Helper()
	argv := compilers[filepath.Ext(source)]
	need(t, argv[0])
	exe := filepath.Join(t.TempDir(), "program")
	path, err := filepath.Abs(filepath.Join("testdata", "programs", source))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(source) == "" {
		path = filepath.Join(path, "main.go")
	}
	out := run(t, ".", []string{"CGO_ENABLED=0"}, slices.Concat(argv, []string{"-o", exe, path})...)
	if _, err := os.Stat(exe); err != nil {
		t.Fatalf("compile %s: %v\n%s", source, err, out)
	}
	return exe
}

// crash lets the kernel make a core file.
func crash(t testing.TB, exe string) string {
	t.Helper()
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if name := strings.TrimSpace(string(pattern)); err != nil || !strings.HasPrefix(name, "core") || strings.Contains(name, "/") {
		t.Skipf("core files go elsewhere: kernel.core_pattern is %q", pattern)
	}
	dir := t.TempDir()
	run(t, dir, []string{"GOTRACEBACK=crash"}, "sh", "-c", `ulimit -c unlimited && exec "$0"`, exe)
	found, err := filepath.Glob(filepath.Join(dir, "core*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the kernel has left %v", found)
	}
	return found[0]
}

// gcore lets gdb make a core file where the program first gets a signal.
func gcore(t testing.TB, exe string) string {
	t.Helper()
	gdb := debuggertest.GDB(t, debuggertest.Core)
	path := filepath.Join(t.TempDir(), "core")
	out := run(t, ".", []string{"DEBUGINFOD_URLS="}, gdb, "-nx", "-batch", "-iex", "set auto-load off",
		"-ex", "handle SIGURG nostop noprint pass", "-ex", "run", "-ex", "generate-core-file "+path, "-ex", "kill", exe)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("gdb has left no core file:\n%s", out)
	}
	return path
}

// consult asks gdb about a core file.
func consult(t testing.TB, exe, path string) *oracle {
	t.Helper()
	need(t, "gdb")
	answers := filepath.Join(t.TempDir(), "oracle.json")
	out := run(t, ".", []string{"ORACLE_OUT=" + answers, "DEBUGINFOD_URLS=", "LC_ALL=C.UTF-8"},
		"gdb", "-nx", "-batch", "-iex", "set auto-load off", "-ex", "source testdata/oracle.py", exe, path)
	text, err := os.ReadFile(answers)
	if err != nil {
		t.Fatalf("gdb: %v\n%s", err, out)
	}
	var o oracle
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return &o
}

// open opens a core file for a test.
func open(t testing.TB, path string) *core.File {
	t.Helper()
	f, err := core.Open(path, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// Core files of the kernel and of gdb, of four languages: threads, registers,
// memory, stacks and variables equal those that gdb prints.
func TestLikeGDB(t *testing.T) {
	makers := []struct {
		name string
		make func(testing.TB, string) string
	}{{"kernel", crash}, {"gcore", gcore}}
	for _, source := range []string{"crash.c", "crash.cc", "crash.rs", "crash"} {
		for _, maker := range makers {
			t.Run(source+"/"+maker.name, func(t *testing.T) {
				sample.Case(t)
				t.Parallel()
				exe := compile(t, source)
				path := maker.make(t, exe)
				want := consult(t, exe, path)
				f := open(t, path)
				compareProcess(t, f, want, exe)
				compareMemory(t, f, want)
				p := program(t, f)
				for id, thread := range want.Threads {
					compareThread(t, f, id, thread)
					compareStack(t, f, p, id, thread, source != "crash")
				}
			})
		}
	}
}

func compareProcess(t *testing.T, f *core.File, want *oracle, exe string) {
	t.Helper()
	stop := f.Stop()
	if stop.Thread != want.Current || int(stop.Signal) != want.Signal {
		t.Errorf("signal %d of thread %d, want %d of %d", stop.Signal, stop.Thread, want.Signal, want.Current)
	}
	if stop.Fault != 0 && stop.Fault != want.Fault || want.Signal == 11 && stop.Fault != want.Fault {
		t.Errorf("fault %#x, want %#x", stop.Fault, want.Fault)
	}
	if f.Executable() != exe {
		t.Errorf("executable %q, want %q", f.Executable(), exe)
	}
	if !strings.HasPrefix(f.Command(), exe[:min(len(exe), 60)]) {
		t.Errorf("command %q, want %q", f.Command(), exe)
	}
	threads := f.Threads()
	if len(threads) != len(want.Threads) {
		t.Errorf("%d threads, want %d", len(threads), len(want.Threads))
	}
	for _, each := range threads {
		if _, ok := want.Threads[each.ID]; !ok || each.Current != (each.ID == want.Current) {
			t.Errorf("thread %+v is not one of gdb's", each)
		}
	}
	if f.PID() != threads[0].ID || threads[0].Name != "program" || f.Cut() {
		t.Errorf("process %d, first thread %+v, cut %t", f.PID(), threads[0], f.Cut())
	}
}

func compareMemory(t *testing.T, f *core.File, want *oracle) {
	t.Helper()
	compared := 0
	for text, contents := range want.Memory {
		addr, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := f.Maps().Find(addr); contents != "" && ok && m.Read { // gdb says that a guard page is zero
			compared++
			compareBytes(t, f, addr, contents)
		}
	}
	if compared < 10 {
		t.Errorf("only %d ranges of memory compared", compared)
	}
}

func compareBytes(t *testing.T, f *core.File, addr uint64, want string) {
	t.Helper()
	b := make([]byte, len(want)/2)
	n, err := f.ReadMemory(addr, b)
	if got := hex.EncodeToString(b[:n]); got != want {
		t.Errorf("memory at %#x differs from gdb's (%v): %.64s, want %.64s", addr, err, got, want)
	}
}

// register finds a register by gdb's name.
func register(r *ptrace.Regs, name string) uint64 {
	return map[string]uint64{
		"rip": r.RIP, "rsp": r.RSP, "rbp": r.RBP, "rax": r.RAX, "rbx": r.RBX, "rcx": r.RCX, "rdx": r.RDX, "rsi": r.RSI, "rdi": r.RDI,
		"r8": r.R8, "r9": r.R9, "r10": r.R10, "r11": r.R11, "r12": r.R12, "r13": r.R13, "r14": r.R14, "r15": r.R15,
		"eflags": r.EFlags, "cs": r.CS, "ss": r.SS, "fs_base": r.FSBase, "gs_base": r.GSBase,
	}[name]
}

func compareThread(t *testing.T, f *core.File, id int, want oracleThread) {
	t.Helper()
	regs, err := f.Regs(id)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range want.Registers {
		if got := register(&regs, name); got != value {
			t.Errorf("thread %d: %s is %#x, want %#x", id, name, got, value)
		}
	}
	state, err := f.XState(id, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, value := range want.Vector {
		xmm := slices.Clone(state[160+16*i:][:16])
		slices.Reverse(xmm)
		if got := new(big.Int).SetBytes(xmm).String(); got != value {
			t.Errorf("thread %d: xmm%d is %s, want %s", id, i, got, value)
		}
	}
	compareBytes(t, f, regs.RSP, want.Stack)
}

// A reader is a core file as memory of symbols.
type reader struct{ f *core.File }

func (r reader) ReadMemory(addr uint64, b []byte) error {
	_, err := r.f.ReadMemory(addr, b)
	return err
}

// nothing to close: the core file keeps its mapped files open.
type kept struct{ source }

type source interface {
	ReadAt(b []byte, off int64) (int, error)
}

func (kept) Close() error { return nil }

// program opens the symbols of a core file.
func program(t *testing.T, f *core.File) *symbols.Program {
	t.Helper()
	p := symbols.New(symbols.Config{Open: func(m symbols.Mapping) (symbols.File, error) {
		s, err := f.Mapped().Open(m.Path)
		if err != nil {
			return nil, err
		}
		return kept{s}, nil
	}})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	var maps []symbols.Mapping
	for _, m := range f.Maps() {
		if m.Path != "" {
			maps = append(maps, symbols.Mapping{Start: m.Start, End: m.End, Offset: m.Offset, Path: m.Path})
		}
	}
	p.Update(maps, reader{f})
	return p
}

// unwind are the frames that gdb has too: functions that were inlined share
// theirs.
func unwind(t *testing.T, f *core.File, p *symbols.Program, id int) []callstack.Frame {
	t.Helper()
	r, err := f.Regs(id)
	if err != nil {
		t.Fatal(err)
	}
	regs := dwarfregs.NewRegisters([17]uint64{
		r.RAX, r.RDX, r.RCX, r.RBX, r.RSI, r.RDI, r.RBP, r.RSP, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15, r.RIP,
	}, r.FSBase)
	var xmm [16][16]byte
	if state, err := f.XState(id, nil); err == nil {
		if _, err := binary.Decode(state[160:416], binary.LittleEndian, &xmm); err != nil {
			t.Fatal(err)
		}
	}
	frames, err := callstack.Unwind(p, regs.WithVectors(&xmm), reader{f}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(frames, func(f callstack.Frame) bool { return f.Inlined || f.TailCall })
}

// compareStack compares frames and plain variables. Of Go's stacks gdb knows
// those parts only that have frame information.
func compareStack(t *testing.T, f *core.File, p *symbols.Program, id int, want oracleThread, whole bool) {
	t.Helper()
	frames := unwind(t, f, p, id)
	if whole && len(frames) < len(want.Frames) {
		t.Errorf("thread %d: %d frames, want %d", id, len(frames), len(want.Frames))
	}
	for i := range min(len(frames), len(want.Frames)) {
		got, want := &frames[i], want.Frames[i]
		if got.PC != want.PC {
			if whole {
				t.Errorf("thread %d: #%d is at %#x, want %#x %s", id, i, got.PC, want.PC, want.Name)
			}
			return
		}
		if want.Line != 0 && got.Line != 0 && got.Line != want.Line {
			t.Errorf("thread %d: #%d %s is at line %d, want %d", id, i, got, got.Line, want.Line)
		}
		if strings.HasSuffix(got.File, "crash"+filepath.Ext(got.File)) && got.Line == 0 {
			t.Errorf("thread %d: #%d %s has no line", id, i, got)
		}
		compareBytes(t, f, got.PC, want.Code)
		compareVariables(t, got, want)
	}
}

func compareVariables(t *testing.T, frame *callstack.Frame, want oracleFrame) {
	t.Helper()
	if !strings.Contains("sum outer main write run", lastPart(frame.Function)) {
		return // optimized: package symbols has its own tests of those
	}
	for _, v := range frame.Variables() {
		text, ok := want.Variables[v.Name]
		if got := v.Value(values.DefaultLimits).Text; ok && !strings.HasPrefix(text, "<") && got != text {
			t.Errorf("%s: %s is %s, want %s", frame, v.Name, got, text)
		}
	}
}

func lastPart(name string) string {
	return name[strings.LastIndexAny(name, ":.")+1:]
}

// The C program's crash, as anybody who reads its source expects it.
func TestCrash(t *testing.T) {
	exe := compile(t, "crash.c")
	f := open(t, crash(t, exe))
	if stop := f.Stop(); stop.Fault != 0x1238 || stop.Signal != 11 || fmt.Sprint(stop.Why) != "signal" {
		t.Errorf("stop %+v", stop)
	}
	sig, info := f.Signal()
	if sig != 11 || info == nil || info.Address() != 0x1238 || info.Code() != 1 {
		t.Errorf("signal %d, %v", sig, info)
	}
	frames := unwind(t, f, program(t, f), 0)
	var names []string
	for i := range frames[:6] {
		names = append(names, fmt.Sprint(frames[i].Function, ":", frames[i].Line))
	}
	if want := []string{"sum:32", "outer:40", "outer:41", "outer:41", "outer:41", "main:57"}; !slices.Equal(names, want) {
		t.Errorf("stack %v, want %v", names, want)
	}
}

// A program that was built again is another one: its memory and symbols are
// refused, and what the core file has itself is still there.
func TestReplaced(t *testing.T) {
	exe := compile(t, "crash.c")
	path := crash(t, exe)
	other := compile(t, "crash.cc")
	if err := os.Rename(other, exe); err != nil {
		t.Fatal(err)
	}
	f := open(t, path)
	pc := f.Stop().Address
	_, err := f.ReadMemory(pc, make([]byte, 4))
	if err == nil || !strings.Contains(err.Error(), exe) || !strings.Contains(err.Error(), "it is another one now: its build id is ") {
		t.Errorf("code of a program that was replaced: %v", err)
	}
	if _, err := f.Mapped().Open(exe); err == nil {
		t.Error("the other program was opened")
	}
	regs, _ := f.Regs(0)
	if n, err := f.ReadMemory(regs.RSP, make([]byte, 64)); n != 64 {
		t.Errorf("stack: %d bytes, %v", n, err)
	}
	if err := os.Remove(exe); err != nil {
		t.Fatal(err)
	}
	g := open(t, path)
	if _, err := g.ReadMemory(pc, make([]byte, 4)); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("code of a program that is gone: %v", err)
	}
}
