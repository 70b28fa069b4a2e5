package symbolstest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// A Stopped is one that gdb Stopped, left a core file of, and told us
// all about.
type Stopped struct {
	Core   *CoreFile
	Oracle Oracle
	Exe    string
}

// An Oracle is the stack and variables according to gdb.
type Oracle struct {
	Stop      []uint64
	Frames    []Frame
	Variables [][]Variable
}

// A Frame is a frame according to gdb.
type Frame struct {
	PC              uint64
	Name, File      string
	Line            int
	Inlined, Signal bool
	Tail            bool // ended by a jump to the function of the frame before
}

// A Variable is a variable according to gdb.
type Variable struct{ Name, Type, Text string }

// Need skips a test on a machine that lacks a tool.
func Need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s", tool)
		}
		if tool == "rustc" && exec.CommandContext(t.Context(), tool, "--version").Run() != nil {
			t.Skip("needs rustc; rustup has no toolchain for it")
		}
	}
}

// Source returns the path of a file in testdata/programs. An absolute path stays
// as it is.
func Source(t testing.TB, name string) string {
	t.Helper()
	if filepath.IsAbs(name) {
		return name
	}
	return data(t, filepath.Join("programs", name))
}

// data returns the path of a file in testdata. It is found from the module's root,
// since a build with -trimpath does not know where its sources were.
func data(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "debugger", "internal", "program", "symbolstest", "testdata", name)
		}
	}
	t.Fatal("the test does not run within the module")
	return ""
}

// Run runs a command for a test.
func Run(t testing.TB, env []string, name string, args ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// Compile builds a program of testdata/programs. It is kept in the user's cache.
func Compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	switch filepath.Ext(source) {
	case ".c":
		return CompileWith(t, "gcc", source, flags...)
	case ".cc":
		return build(t, Source(t, source), nil, append([]string{"g++", "-g", "-std=c++17"}, flags...))
	case ".rs":
		return build(t, Source(t, source), nil, append([]string{"rustc", "-g"}, flags...))
	}
	return build(t, filepath.Join(Source(t, source), "main.go"), []string{"CGO_ENABLED=0"}, append([]string{"go", "build"}, flags...))
}

// CompileWith is Compile with a compiler of C or C++.
func CompileWith(t testing.TB, compiler, source string, flags ...string) string {
	t.Helper()
	return build(t, Source(t, source), nil, slices.Concat([]string{compiler, "-g"}, flags, []string{"-lm"}))
}

// build runs a compiler on a file, unless the cache has the result.
func build(t testing.TB, file string, env, command []string) string {
	t.Helper()
	Need(t, command[0])
	return debuggertest.Compile(t, file, env, command...)
}

// Stop runs a program to a function under gdb, past so many hits.
func Stop(t testing.TB, exe, function string, ignore int) *Stopped {
	t.Helper()
	Need(t, "gdb")
	dir := t.TempDir()
	core, out := filepath.Join(dir, "core"), filepath.Join(dir, "out.json")
	script := data(t, "oracle.py")
	env := []string{
		"ORACLE_STOP=" + function, "ORACLE_CORE=" + core, "ORACLE_OUT=" + out,
		fmt.Sprint("ORACLE_IGNORE=", ignore), "DEBUGINFOD_URLS=", "LC_ALL=C.UTF-8",
	}
	Run(t, env, "gdb", "-nx", "-batch",
		"-iex", "set auto-load off",
		"-ex", "set pagination off",
		"-ex", "handle SIGUSR1 SIGSEGV nostop noprint pass", "-ex", "handle SIGURG nostop noprint pass",
		"-ex", "source "+script, exe)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	s := &Stopped{Exe: exe}
	if err := json.Unmarshal(text, &s.Oracle); err != nil {
		t.Fatal(err)
	}
	if s.Core, err = openCore(core); err != nil {
		t.Fatal(err)
	}
	return s
}

// Program opens the symbols of a Stopped program.
func (s *Stopped) Program(t testing.TB) *symbols.Program {
	t.Helper()
	p := symbols.New(symbols.Config{})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	p.Update(s.Core.Maps, s.Core)
	return p
}

// Open makes a program of one file, mapped where the file says or at a bias.
func Open(t testing.TB, path string, cfg symbols.Config) *symbols.Program {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Skipf("no such file on this system: %v", err)
	}
	start := uint64(0x400000)
	if !bytes.Contains(Headers(t, path), []byte("EXEC (Executable file)")) {
		start = 0x555555554000
	}
	p := symbols.New(cfg)
	t.Cleanup(func() { _ = p.Close() })
	p.Update([]symbols.Mapping{{Start: start, End: start + uint64(info.Size()) + 1<<20, Path: path}}, nil)
	if len(p.Images()) != 1 {
		t.Fatalf("%s was not opened", path)
	}
	return p
}

// Headers returns the output of readelf -h.
func Headers(t testing.TB, path string) []byte {
	t.Helper()
	Need(t, "readelf")
	out, err := exec.CommandContext(t.Context(), "readelf", "-h", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
