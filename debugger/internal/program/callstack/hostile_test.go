//go:build unix

package callstack_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// bytesFile is a file in memory.
type bytesFile struct{ *bytes.Reader }

func (bytesFile) Close() error { return nil }

// flat is a memory that reads as one pattern, or not at all.
type flat struct{ pattern []byte }

var errFlat = errors.New("nothing is mapped")

func (f flat) ReadMemory(addr uint64, p []byte) error {
	if len(f.pattern) == 0 {
		return errFlat
	}
	for i := range p {
		p[i] = f.pattern[(addr+uint64(i))%uint64(len(f.pattern))]
	}
	return nil
}

// fromBytes makes a program of a file that may be damaged.
func fromBytes(data []byte) *symbols.Program {
	p := symbols.New(symbols.Config{
		Open:      func(symbols.Mapping) (symbols.File, error) { return bytesFile{bytes.NewReader(data)}, nil },
		DebugDirs: []string{},
	})
	p.Update([]symbols.Mapping{{Start: 0x400000, End: 0x500000, Path: "/hostile"}}, flat{})
	return p
}

// exercise asks everything that can be asked of a program, at addresses so far
// apart.
func exercise(t *testing.T, p *symbols.Program, mem symbols.Memory, step uint64) {
	t.Helper()
	ctx := t.Context()
	for addr := uint64(0x400000); addr < 0x402000; addr += step {
		p.Function(addr)
		p.Line(addr)
		general := [17]uint64{dwarfregs.RSP: addr, dwarfregs.RBP: addr + 16, dwarfregs.RIP: addr}
		frames, err := callstack.Unwind(p, dwarfregs.NewRegisters(general, 0x1000), mem, 50)
		if err != nil || len(frames) == 0 || len(frames) > 50 {
			t.Errorf("%d frames, %v", len(frames), err)
		}
		for i := range frames {
			for _, o := range frames[i].Variables() {
				_ = o.Value(values.DefaultLimits).String()
			}
		}
	}
	_, _ = p.Lookup(ctx, "main")
	_, _ = p.Entry(ctx, "main")
	_, _ = p.Addresses(ctx, "a.c", 3)
	for _, im := range p.Images() {
		objects, _ := values.Globals(ctx, im, mem, dwarfregs.Registers{}, nil)
		for _, o := range objects {
			_ = o.Value(values.DefaultLimits).String()
		}
	}
}

// TestDamaged breaks every 13th byte of a real program, one at a time, and asks
// it everything. None of that may panic or hang; what is said may be nonsense.
func TestDamaged(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("..", "symbols", "testdata", "small.elf"))
	if err != nil {
		t.Fatal(err)
	}
	step := 997
	if sample.Whole() {
		step = 13
	}
	for i := 0; i < len(whole); i += step {
		data := bytes.Clone(whole)
		data[i] ^= 0xff
		p := fromBytes(data)
		started := time.Now()
		exercise(t, p, flat{[]byte{0x40, 0x11, 0x40, 0, 0, 0, 0, 0}}, 0xa5)
		if d := time.Since(started); d > time.Minute {
			t.Errorf("byte %#x: took %v", i, d)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestGarbageStack: a stack that only leads to itself comes to an end.
func TestGarbageStack(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "symbols", "testdata", "small.elf"))
	if err != nil {
		t.Fatal(err)
	}
	p := fromBytes(data)
	defer p.Close()
	exercise(t, p, flat{}, 0xa5)
	exercise(t, p, flat{[]byte{0x40, 0x11, 0x40, 0, 0, 0, 0, 0}}, 0xa5)
	exercise(t, p, flat{[]byte{0xff}}, 0xa5)
}

// TestGroupsWithoutEnd: a map of Go's that says of itself to have elements, in more
// groups than a process has room for, all of them empty.
func TestGroupsWithoutEnd(t *testing.T) {
	p := symbolstest.Open(t, symbolstest.Compile(t, "gokeys", "-gcflags=-N -l"), symbols.Config{})
	defer p.Close()
	at, err := p.Addresses(t.Context(), "main.go", 64) // stop: look
	if err != nil || len(at) == 0 {
		t.Fatalf("no code where main.look calls marker: %v", err)
	}
	general := [17]uint64{dwarfregs.RSP: 0x7000_0000, dwarfregs.RBP: 0x7000_8000, dwarfregs.RIP: at[0].Addr}
	frames, err := callstack.Unwind(p, dwarfregs.NewRegisters(general, 0), flat{[]byte{0x80}}, 1)
	if err != nil || len(frames) == 0 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	maps := 0
	for _, o := range frames[0].Variables() {
		if o.IsMap() {
			maps++
			if _, err := o.Element(values.WholeKey(1)); err == nil {
				t.Errorf("%s has an element", o.Name)
			}
			_ = o.Value(values.DefaultLimits)
		}
	}
	if maps == 0 {
		t.Error("there are no maps")
	}
}

func FuzzProgram(f *testing.F) {
	whole, err := os.ReadFile(filepath.Join("..", "symbols", "testdata", "small.elf"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, []byte{0x40, 0x11, 0x40, 0, 0, 0, 0, 0})
	f.Add(whole[:len(whole)/2], []byte{0})
	f.Fuzz(func(t *testing.T, data, pattern []byte) {
		p := fromBytes(data)
		exercise(t, p, flat{pattern}, 0x1a5)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzMemory asks all that can be asked of containers, strings and smart pointers
// where memory has nothing of what they consist of, but the same bytes all over.
// Whatever comes of it comes soon.
func FuzzMemory(f *testing.F) {
	sample.Alone(f)
	var programs []*symbols.Program
	var places []uint64
	for _, source := range []string{"containers.cc", "pointers.cc"} {
		path, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", "expressions", source))
		if err != nil {
			f.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		before, _, _ := bytes.Cut(text, []byte("    marker(&"))
		p := symbolstest.Open(f, symbolstest.Compile(f, path, "-no-pie"), symbols.Config{})
		at, err := p.Addresses(f.Context(), source, bytes.Count(before, []byte("\n"))+1)
		if err != nil || len(at) == 0 {
			f.Fatalf("no code where %s calls marker: %v", source, err)
		}
		programs, places = append(programs, p), append(places, at[0].Addr)
	}
	for _, seed := range []string{"", "\x00", "\xff", "p", "\x10\x20\x30\x00\x00\x00\x00\x00", "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, pattern []byte) {
		for i, p := range programs {
			general := [17]uint64{dwarfregs.RSP: 0x7000_0000, dwarfregs.RBP: 0x7000_8000, dwarfregs.RIP: places[i]}
			frames, err := callstack.Unwind(p, dwarfregs.NewRegisters(general, 0), flat{pattern}, 1)
			if err != nil || len(frames) == 0 || len(frames[0].Variables()) < 10 {
				t.Fatalf("%d frames, %v", len(frames), err)
			}
			for _, o := range frames[0].Variables() {
				before := processorTime(t)
				poke(o)
				if d := processorTime(t) - before; d > 20*time.Second {
					t.Errorf("%s, a %s, took %v", o.Name, o.Type, d)
				}
			}
		}
	})
}

// processorTime returns the processor time that the test has used, which no other program makes
// longer.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// poke asks all of an object, also what it is not.
func poke(o values.Object) {
	_, _ = o.Len()
	_, _ = o.Cap()
	_, _ = o.Extent()
	_, _ = o.Text(100)
	_, _, _ = o.Pointer()
	_, _, _ = o.Pointee()
	_, _ = o.Reach("x", true)
	_, _ = o.Index(0)
	_, _ = o.Index(1 << 40)
	_, _ = o.Element(values.TextKey("a"))
	_, _ = o.Element(values.WholeKey(1))
	_ = o.Value(values.DefaultLimits).String()
}
