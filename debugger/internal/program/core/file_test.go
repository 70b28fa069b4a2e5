package core_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// write makes a file for a test.
func write(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Everything that a core file says is found where it was put.
func TestContents(t *testing.T) {
	path := write(t, "lib", library("old"))
	f := read(t, small(path).bytes(), core.Options{})
	if f.PID() != 500 || f.Command() != "./small --now" || f.Executable() != path || f.Cut() {
		t.Errorf("process %d, command %q, executable %q, cut %t", f.PID(), f.Command(), f.Executable(), f.Cut())
	}
	want := proc.Stop{Why: proc.Signalled, Thread: 501, Address: 0x401010, Signal: 11, Code: 1, Fault: 0xdead}
	if diff := cmp.Diff(want, f.Stop()); diff != "" {
		t.Errorf("stop (-want +got):\n%s", diff)
	}
	threads := []proc.ThreadInfo{{ID: 500, Name: "small"}, {ID: 501, Current: true}}
	if diff := cmp.Diff(threads, f.Threads()); diff != "" {
		t.Errorf("threads (-want +got):\n%s", diff)
	}
	regs, err := f.Regs(0)
	if err != nil || regs.RAX != 1 || regs.R15 != 15 || regs.GS != 9 || regs.InSyscall() {
		t.Errorf("registers %+v, %v", regs, err)
	}
	if regs, err := f.Regs(500); err != nil || regs.RIP != 0x401020 {
		t.Errorf("registers of 500: %+v, %v", regs, err)
	}
	if _, err := f.Regs(7); !errors.Is(err, proc.ErrNoThread) {
		t.Errorf("registers of nobody: %v", err)
	}
	for thread, want := range map[int][]byte{501: bytes.Repeat([]byte{7}, 832), 500: append(bytes.Repeat([]byte{3}, 512), append([]byte{3}, make([]byte, 63)...)...)} {
		if got, err := f.XState(thread, make([]byte, 4)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("vector state of %d: %v, %v", thread, got, err)
		}
	}
}

// Maps have what segments say, and what the note about files says.
func TestMaps(t *testing.T) {
	f := read(t, small("/lib/x").bytes(), core.Options{})
	want := procfs.Maps{
		{Start: 0x7000, End: 0x8000, Read: true, Write: true, Path: "[stack]"},
		{Start: 0x8000, End: 0x9000},
		{Start: 0x9000, End: 0xa000, Read: true, Execute: true, Path: "[vdso]"},
		{Start: 0x400000, End: 0x401000, Read: true, Path: "/lib/x"},
		{Start: 0x401000, End: 0x403000, Read: true, Execute: true, Offset: 0x1000, Path: "/lib/x"},
		{Start: 0x500000, End: 0x501000, Read: true, Path: "/data"},
	}
	if diff := cmp.Diff(want, f.Maps()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Memory comes from the core file, from files that are as they were, and is
// zero where nothing was written. Everything else says why it is not there.
func TestReadMemory(t *testing.T) {
	lib := library("old")
	path := write(t, "lib", lib)
	f := read(t, small(path).bytes(), core.Options{})
	for _, tt := range []struct {
		name string
		addr uint64
		n    int
		want string // what is read
		why  string // why it is less
	}{
		{"dumped", 0x7000, 5, "stack", ""},
		{"left out behind what is dumped", 0x7000, 16, "stack and more\x00\x00", ""},
		{"up to a guard page", 0x7ffe, 4, "\x00\x00", "read memory at 0x8000: the core file leaves it out"},
		{"of the mapped file", 0x401ffe, 4, string(lib[0x1ffe:0x2002]), ""},
		{"from one mapping to the next", 0x400ffe, 4, string(lib[0xffe:0x1002]), ""},
		{"not ELF", 0x500000, 4, "", "it is no ELF file"},
		{"nothing", 0x600000, 4, "", "read memory at 0x600000: nothing was mapped there"},
		{"over the end of memory", 1<<64 - 2, 4, "", "nothing was mapped there"},
		{"no bytes", 0x600000, 0, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := f
			if tt.name == "not ELF" {
				f = read(t, small(path).bytes(), core.Options{Open: func(string) (*os.File, error) {
					return os.Open(write(t, "data", []byte("root:secret")))
				}})
			}
			b := make([]byte, tt.n)
			n, err := f.ReadMemory(tt.addr, b)
			if string(b[:n]) != tt.want {
				t.Errorf("read %q, want %q", b[:n], tt.want)
			}
			_, typed := errors.AsType[*core.MemoryError](err)
			if (err != nil) != (tt.why != "") || err != nil && (!typed || !strings.Contains(err.Error(), tt.why)) {
				t.Errorf("error %v, want %q", err, tt.why)
			}
		})
	}
}

// A file is used if it is the one that was mapped, and nothing else is.
func TestMappedFiles(t *testing.T) {
	noID := library("")
	changed := library("")
	changed[0x300]++
	for _, tt := range []struct {
		name    string
		was, is []byte
		why     string
	}{
		{"same build id", library("old"), library("old"), ""},
		{"another build id", library("old"), library("new"), "its build id is 6e6577, that of the process was 6f6c64"},
		{"no build id any more", library("old"), noID, "its build id is not there, that of"},
		{"no build ids, same first page", noID, noID, ""},
		{"no build ids, another first page", noID, changed, "its first page has changed"},
		{"shorter than it was", noID, noID[:1000], "its first page has changed"},
		{"no library", library("old"), []byte("#!/bin/sh"), "it is no ELF file"},
		{"nothing known", nil, noID, "neither its build id nor its first page"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, "lib", tt.is)
			d := small(path)
			d.segments[4].data, d.segments[4].memory = tt.was[:min(4096, len(tt.was))], 4096
			f := read(t, d.bytes(), core.Options{})
			m, err := f.Mapped().Open(path)
			if (err != nil) != (tt.why != "") || err != nil && !strings.Contains(err.Error(), path+": ") || err != nil && !strings.Contains(err.Error(), tt.why) {
				t.Fatalf("error %v, want %q", err, tt.why)
			}
			if err != nil {
				return
			}
			b := make([]byte, 8)
			if _, err := m.ReadAt(b, 0x1100); err != nil || !bytes.Equal(b, tt.is[0x1100:0x1108]) {
				t.Errorf("read %x, %v", b, err)
			}
		})
	}
}

// Files are opened once, and those that could block not at all.
func TestOpenedOnce(t *testing.T) {
	path := write(t, "lib", library("old"))
	var opened []string
	f := read(t, small(path).bytes(), core.Options{Open: func(p string) (*os.File, error) {
		opened = append(opened, p)
		return core.OpenRegular(p)
	}})
	for range 3 {
		_, _ = f.ReadMemory(0x401000, make([]byte, 4)) // what comes of it is tested elsewhere
		_, _ = f.ReadMemory(0x500000, make([]byte, 4))
	}
	if diff := cmp.Diff([]string{path, "/data"}, opened); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
	if _, err := core.OpenRegular(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// A file that was deleted is looked for by the name it had.
func TestDeleted(t *testing.T) {
	path := write(t, "lib", library("old"))
	f := read(t, small(path+" (deleted)").bytes(), core.Options{})
	if _, err := f.ReadMemory(0x401000, make([]byte, 4)); err != nil {
		t.Error(err)
	}
}

// One that was cut off before there is anything to show says so.
func TestCutEarly(t *testing.T) {
	whole := small("/lib/x").bytes()
	headers := int(binary.LittleEndian.Uint64(whole[32:])) + 56*int(binary.LittleEndian.Uint16(whole[56:])) // e_phoff, e_phnum
	every := 13
	if sample.Whole() {
		every = 1
	}
	for n := headers; n < len(whole); n += every {
		path := write(t, "core", whole[:n])
		f, err := core.Open(path, core.Options{})
		switch {
		case err == nil:
			if n == headers {
				t.Error("nothing but headers is a core file")
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		case !strings.Contains(err.Error(), "cut off") || !errors.Is(err, core.ErrFormat):
			t.Fatalf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
}

// A core file that a limit has cut off is good for what it still has.
func TestCut(t *testing.T) {
	whole := small("/lib/x").bytes()
	at := bytes.Index(whole, []byte{0xcc, 0xcc, 0xcc})
	f := read(t, whole[:at+16], core.Options{})
	if !f.Cut() {
		t.Error("nobody says that it was cut off")
	}
	b := make([]byte, 32)
	if n, err := f.ReadMemory(0x9000, b); n != 16 || err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("read %d bytes, %v", n, err)
	}
}

// With many segments their number is in a section header.
func TestManySegments(t *testing.T) {
	d := small("/lib/x")
	d.manySegs = true
	if got := len(read(t, d.bytes(), core.Options{}).Maps()); got != 6 {
		t.Errorf("%d maps, want 6", got)
	}
}

// A process that gdb only looked at was ended by no signal.
func TestNoSignal(t *testing.T) {
	d := small("/lib/x")
	d.notes = []dumpNote{d.notes[7]}
	f := read(t, d.bytes(), core.Options{})
	if got, want := f.Stop(), (proc.Stop{Why: proc.Paused, Thread: 500, Address: 0x401020}); got != want {
		t.Errorf("stop %+v, want %+v", got, want)
	}
	if f.PID() != 500 || f.Executable() != "" {
		t.Errorf("process %d, executable %q", f.PID(), f.Executable())
	}
	if _, err := f.XState(0, nil); err == nil {
		t.Error("vector state from nowhere")
	}
}

// What is no core file is refused, with what it is instead.
func TestRefused(t *testing.T) {
	change := func(f func(h *elf.Header64)) []byte {
		d := small("/lib/x")
		d.header = f
		return d.bytes()
	}
	with := func(f func(d *dump)) []byte {
		d := small("/lib/x")
		f(d)
		return d.bytes()
	}
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "it is no ELF file"},
		{"text", []byte(strings.Repeat("text ", 20)), "it is no ELF file"},
		{"packed", append([]byte("\x28\xb5\x2f\xfd"), make([]byte, 100)...), "it is packed with zstd; unpack it first"},
		{"program", change(func(h *elf.Header64) { h.Type = uint16(elf.ET_EXEC) }), "it is a program or library"},
		{"object", change(func(h *elf.Header64) { h.Type = uint16(elf.ET_REL) }), "another kind"},
		{"arm64", change(func(h *elf.Header64) { h.Machine = uint16(elf.EM_AARCH64) }), "it is of arm64"},
		{"sparc", change(func(h *elf.Header64) { h.Machine = uint16(elf.EM_SPARCV9) }), "EM_SPARCV9"},
		{"32 bits", change(func(h *elf.Header64) { h.Ident[elf.EI_CLASS] = 1 }), "64-bit"},
		{"big-endian", change(func(h *elf.Header64) { h.Ident[elf.EI_DATA] = 2 }), "little-endian"},
		{"headers of another size", change(func(h *elf.Header64) { h.Phentsize = 57 }), "57 bytes"},
		{"headers elsewhere", change(func(h *elf.Header64) { h.Phoff = 1 << 40 }), "program headers cannot be read"},
		{"headers at the end of the world", change(func(h *elf.Header64) { h.Phoff = 1<<64 - 8 }), "program headers cannot be read"},
		{"section elsewhere", change(func(h *elf.Header64) { h.Phnum, h.Shoff = 0xffff, 1<<40 }), "section header"},
		{"too many segments", with(func(d *dump) { d.manySegs, d.more = true, 1<<30 }), "it has 1073741830 segments"},
		{"more segments than there are", with(func(d *dump) { d.manySegs, d.more = true, 1<<17 }), "program headers cannot be read"},
		{"no threads", with(func(d *dump) { d.notes = d.notes[1:2] }), "no registers of any thread"},
		{"short registers", with(func(d *dump) { d.notes[0].desc = d.notes[0].desc[:300] }), "has 300 bytes"},
		{"a thread twice", with(func(d *dump) { d.notes = append(d.notes, d.notes[0]) }), "the thread 501 twice"},
		{"short process", with(func(d *dump) { d.notes[1].desc = d.notes[1].desc[:10] }), "has 10 bytes"},
		{"long vector", with(func(d *dump) { d.notes[3].desc = make([]byte, 1<<17) }), "has 131072 bytes"},
		{"more files than there are", with(func(d *dump) { d.notes[4].desc[0]++ }), "for 4 of them"},
		{"two notes about files", with(func(d *dump) { d.notes = append(d.notes, d.notes[4]) }), "two notes about files"},
		{"files at one place", with(func(d *dump) { d.notes[4] = files(mapping{1, 3, 0, "a"}, mapping{2, 4, 0, "b"}) }), "overlaps"},
		{"a file backwards", with(func(d *dump) { d.notes[4] = files(mapping{4096, 1, 0, "a"}) }), "makes no sense"},
		{"segments at one place", with(func(d *dump) { d.segments[1].addr = 0x7800 }), "overlaps"},
		{"over the end of memory", with(func(d *dump) { d.segments[1].addr = 1<<64 - 16 }), "makes no sense"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := core.New(bytes.NewReader(tt.b), int64(len(tt.b)), core.Options{})
			if !errors.Is(err, core.ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Segments that all have the same notes do not make reading them take for ever.
func TestNotesAgain(t *testing.T) {
	d := small("/lib/x")
	d.notes = nil
	for range 1000 {
		d.notes = append(d.notes, dumpNote{"CORE", 99, nil})
	}
	d.again = 60000
	b := d.bytes()
	r := &countingReader{ReaderAt: bytes.NewReader(b)}
	if _, err := core.New(r, int64(len(b)), core.Options{}); !errors.Is(err, core.ErrFormat) {
		t.Errorf("error %v", err)
	}
	if r.read > 100<<20 { // all notes of all segments have 1 GB
		t.Errorf("it has read %d bytes of a file of %d", r.read, len(b))
	}
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	io.ReaderAt
	read int
}

func (r *countingReader) ReadAt(b []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, at)
	r.read += n
	return n, err
}

// A path that cannot be opened is an error of the system's.
func TestOpen(t *testing.T) {
	if _, err := core.Open(filepath.Join(t.TempDir(), "none"), core.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	path := write(t, "text", []byte("text"))
	if _, err := core.Open(path, core.Options{}); !errors.Is(err, core.ErrFormat) || !strings.Contains(err.Error(), path) {
		t.Errorf("text: %v", err)
	}
	f, err := core.Open(write(t, "core", small("/lib/x").bytes()), core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
