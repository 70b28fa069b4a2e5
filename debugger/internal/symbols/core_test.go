package symbols_test

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
)

// A stopped program is one that gdb stopped, left a core file of, and told us
// all about.
type stopped struct {
	core   *coreFile
	oracle oracle
	exe    string
}

// An oracle is what gdb says.
type oracle struct {
	Stop      []uint64
	Frames    []oracleFrame
	Variables [][]oracleVariable
}

type oracleFrame struct {
	PC              uint64
	Name, File      string
	Line            int
	Inlined, Signal bool
}

type oracleVariable struct{ Name, Type, Text string }

// need skips a test on a machine that lacks a tool.
func need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
	}
}

// run runs a command for a test.
func run(t testing.TB, env []string, name string, args ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// compile builds a program of testdata/programs.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "program")
	src, err := filepath.Abs(filepath.Join("testdata", "programs", source))
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(source) {
	case ".c":
		need(t, "gcc")
		run(t, nil, "gcc", append(flags, "-g", "-o", exe, src, "-lm")...)
	case ".cc":
		need(t, "g++")
		run(t, nil, "g++", append(flags, "-g", "-std=c++17", "-o", exe, src)...)
	case ".rs":
		need(t, "rustc")
		run(t, nil, "rustc", append(flags, "-g", "-o", exe, src)...)
	default:
		need(t, "go")
		run(t, []string{"CGO_ENABLED=0"}, "go", append(append([]string{"build"}, flags...), "-o", exe, src+"/main.go")...)
	}
	return exe
}

// stop runs a program to a function under gdb, past so many hits.
func stop(t testing.TB, exe, function string, ignore int) *stopped {
	t.Helper()
	need(t, "gdb")
	dir := t.TempDir()
	core, out := filepath.Join(dir, "core"), filepath.Join(dir, "out.json")
	script, err := filepath.Abs("testdata/oracle.py")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		"ORACLE_STOP=" + function, "ORACLE_CORE=" + core, "ORACLE_OUT=" + out,
		fmt.Sprint("ORACLE_IGNORE=", ignore), "DEBUGINFOD_URLS=", "LC_ALL=C.UTF-8",
	}
	run(t, env, "gdb", "-nx", "-batch",
		"-iex", "set auto-load off",
		"-ex", "set pagination off",
		"-ex", "handle SIGUSR1 SIGSEGV nostop noprint pass", "-ex", "handle SIGURG nostop noprint pass",
		"-ex", "source "+script, exe)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	s := &stopped{exe: exe}
	if err := json.Unmarshal(text, &s.oracle); err != nil {
		t.Fatal(err)
	}
	if s.core, err = openCore(core); err != nil {
		t.Fatal(err)
	}
	return s
}

// program opens the symbols of a stopped program.
func (s *stopped) program(t testing.TB) *symbols.Program {
	t.Helper()
	p := symbols.New(symbols.Config{})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	p.Update(s.core.maps, s.core)
	return p
}

// A coreFile is a core file as memory, with the files that it leaves out.
type coreFile struct {
	segments []segment
	maps     []symbols.Mapping
	regs     dwarfregs.Registers
}

// A segment is read when it is asked for: cores of Go programs are large.
type segment struct {
	addr, size uint64
	file       *os.File
	at         int64
}

var errNotInCore = errors.New("not in the core file")

// ReadMemory implements symbols.Memory.
func (c *coreFile) ReadMemory(addr uint64, p []byte) error {
	for len(p) > 0 {
		n := 0
		for _, s := range c.segments {
			if addr < s.addr || addr-s.addr >= s.size {
				continue
			}
			n = int(min(uint64(len(p)), s.size-(addr-s.addr)))
			if _, err := s.file.ReadAt(p[:n], s.at+int64(addr-s.addr)); err != nil {
				return err
			}
			break
		}
		if n == 0 {
			return errNotInCore
		}
		p, addr = p[n:], addr+uint64(n)
	}
	return nil
}

func openCore(path string) (*coreFile, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	file, err := os.Open(path)       // stays open as long as the test
	if err != nil {
		return nil, err
	}
	c := &coreFile{}
	for _, p := range f.Progs {
		switch {
		case p.Type == elf.PT_LOAD && p.Filesz > 0:
			c.segments = append(c.segments, segment{p.Vaddr, p.Filesz, file, int64(p.Off)})
		case p.Type == elf.PT_NOTE:
			data := make([]byte, p.Filesz)
			if _, err := p.ReadAt(data, 0); err != nil && len(data) > 0 {
				return nil, err
			}
			c.notes(data)
		}
	}
	slices.SortFunc(c.maps, func(a, b symbols.Mapping) int { return cmp.Compare(a.Start, b.Start) })
	for _, m := range c.maps { // what the core leaves out is as in the file
		file, err := os.Open(m.Path)
		if err != nil {
			continue
		}
		if info, err := file.Stat(); err == nil && m.Offset < uint64(info.Size()) {
			size := min(m.End-m.Start, uint64(info.Size())-m.Offset)
			c.segments = append(c.segments, segment{m.Start, size, file, int64(m.Offset)})
		}
	}
	return c, nil
}

// Notes of core files.
const (
	notePrStatus = 1
	noteFPRegs   = 2
	noteAuxv     = 6
	noteFile     = 0x46494c45
	registersAt  = 112
	auxVDSO      = 33
)

func (c *coreFile) notes(p []byte) {
	first := true
	for len(p) >= 12 {
		name, size := binary.LittleEndian.Uint32(p), binary.LittleEndian.Uint32(p[4:])
		kind := binary.LittleEndian.Uint32(p[8:])
		p = p[12+(name+3)&^3:]
		desc := p[:size]
		p = p[(size+3)&^3:]
		switch {
		case kind == notePrStatus && first:
			first = false
			c.registers(desc[registersAt:])
		case kind == noteFPRegs:
			c.vectors(desc)
		case kind == noteFile:
			c.files(desc)
		case kind == noteAuxv:
			c.vdso(desc)
		}
	}
}

// registers reads struct user_regs_struct.
func (c *coreFile) registers(p []byte) {
	r := func(i int) uint64 { return binary.LittleEndian.Uint64(p[8*i:]) }
	c.regs = dwarfregs.NewRegisters([17]uint64{
		r(10), r(12), r(11), r(5), r(13), r(14), r(4), r(19),
		r(9), r(8), r(7), r(6), r(3), r(2), r(1), r(0), r(16),
	}, r(21))
}

func (c *coreFile) vectors(p []byte) {
	var xmm [16][16]byte
	for i := range xmm {
		copy(xmm[i][:], p[160+16*i:])
	}
	c.regs = c.regs.WithVectors(&xmm)
}

func (c *coreFile) files(p []byte) {
	n := binary.LittleEndian.Uint64(p)
	page := binary.LittleEndian.Uint64(p[8:])
	names := bytes.Split(p[16+24*n:], []byte{0})
	for i := range n {
		e := p[16+24*i:]
		c.maps = append(c.maps, symbols.Mapping{
			Start: binary.LittleEndian.Uint64(e), End: binary.LittleEndian.Uint64(e[8:]),
			Offset: binary.LittleEndian.Uint64(e[16:]) * page, Path: string(names[i]),
		})
	}
}

func (c *coreFile) vdso(p []byte) {
	for ; len(p) >= 16; p = p[16:] {
		if binary.LittleEndian.Uint64(p) == auxVDSO {
			at := binary.LittleEndian.Uint64(p[8:])
			c.maps = append(c.maps, symbols.Mapping{Start: at, End: at + 0x2000, Path: "[vdso]"})
		}
	}
}
