package callstack_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// TestThreadLocal reads thread-local variables of a program and of a library
// that it loaded later.
func TestThreadLocal(t *testing.T) {
	symbolstest.Need(t, "gcc")
	lib := filepath.Join(t.TempDir(), "library.so")
	symbolstest.Run(t, nil, "gcc", "-g", "-shared", "-fPIC", "-DLIBRARY", "-o", lib, symbolstest.Source(t, "library.c"))
	t.Setenv("LIBRARY", lib)
	s := symbolstest.Stop(t, symbolstest.Compile(t, "library.c", "-O0"), "marker", 0)
	p := s.Program(t)
	for name, want := range map[string]int64{
		"own": 5, "library_wide": 45, "program_wide": 52,
	} {
		o, err := values.Global(t.Context(), p, name, s.Core, s.Core.Regs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := o.Int(); err != nil || got != want {
			t.Errorf("%s = %d, %v, want %d", name, got, err, want)
		}
	}
	o, err := values.Global(t.Context(), p, "spaced", s.Core, dwarfregs.Registers{})
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Value(values.DefaultLimits).Text; got != "<not available>" {
		t.Errorf("without a thread spaced is %s", got)
	}
}

// TestVDSO: the code that the kernel maps into each process has names and frame
// information though it has no file.
func TestVDSO(t *testing.T) {
	s := symbolstest.Stop(t, symbolstest.Compile(t, "values.c", "-O0"), "marker", 0)
	p := s.Program(t)
	addrs, err := p.Lookup(t.Context(), "__vdso_clock_gettime")
	if err != nil {
		t.Fatal(err)
	}
	f, ok := p.Function(addrs[0])
	if im := p.Image(addrs[0]); !ok || f.Offset != 0 || im.Path != "[vdso]" || im.BuildID == "" {
		t.Errorf("%#x is %+v in %+v", addrs[0], f, im)
	}
}

// TestMissingFile: without its file a program still has the frame tables that are
// mapped.
func TestMissingFile(t *testing.T) {
	s := symbolstest.Stop(t, symbolstest.Compile(t, "values.c", "-O0", "-rdynamic"), "marker", 0)
	p := symbols.New(symbols.Config{Open: func(symbols.Mapping) (symbols.File, error) { return nil, context.Canceled }})
	defer p.Close()
	p.Update(s.Core.Maps, s.Core)
	frames, err := callstack.Unwind(p, s.Core.Regs, s.Core, 0)
	if err != nil || len(frames) != len(s.Oracle.Frames) {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	for i := range frames {
		if want := s.Oracle.Frames[i]; frames[i].PC != want.PC {
			t.Errorf("#%d is %v, want %#x", i, &frames[i], want.PC)
		}
	}
}

// TestUpdate: images come and go with the maps, and those that stay are the
// same ones.
func TestUpdate(t *testing.T) {
	s := symbolstest.Stop(t, symbolstest.Compile(t, "values.c", "-O0"), "marker", 0)
	p := s.Program(t)
	before := p.Images()
	p.Update(s.Core.Maps, s.Core)
	after := p.Images()
	if len(before) != len(after) || len(before) < 3 {
		t.Fatalf("%d images, then %d", len(before), len(after))
	}
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("%s was opened twice", before[i].Path)
		}
	}
	p.Update(s.Core.Maps[:1], s.Core)
	if got := p.Images(); len(got) != 1 || got[0] != before[0] {
		t.Errorf("%+v are left, want %s at %#x", got[0], before[0].Path, before[0].Start)
	}
	if im := p.Image(s.Core.Regs.PC()); im != nil && im != before[0] {
		t.Errorf("an image that is gone is found: %s", im.Path)
	}
}

// TestConcurrent asks from several goroutines while the index is made; it is
// for the race detector.
func TestConcurrent(t *testing.T) {
	s := symbolstest.Stop(t, symbolstest.Compile(t, "values.c", "-O0"), "marker", 0)
	p := s.Program(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := p.Index(t.Context()); err != nil {
			t.Error(err)
		}
	})
	for range 4 {
		wg.Go(func() {
			frames, err := callstack.Unwind(p, s.Core.Regs, s.Core, 0)
			if err != nil || len(frames) != 11 {
				t.Errorf("%d frames, %v", len(frames), err)
				return
			}
			for _, o := range frames[1].Variables() {
				o.Value(values.DefaultLimits)
			}
			if _, err := p.Addresses(t.Context(), "values.c", 62); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
