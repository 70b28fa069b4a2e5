package pcln_test

import (
	"debug/elf"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/pcln"
)

// own opens the table of the test itself, so that results can be compared with
// its runtime. Bias is added to addresses of the file.
func own(t *testing.T) (table *pcln.Table, text *elf.Section) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(exe)
	if err != nil {
		t.Skip("the test is no ELF file: ", err)
	}
	t.Cleanup(func() { _ = f.Close() })
	section, module := f.Section(".gopclntab"), f.Section(".go.module")
	if module == nil {
		module = f.Section(".noptrdata")
	}
	if section == nil || f.Type != elf.ET_EXEC {
		t.Skip("the test is not at the addresses of its file")
	}
	data, err := module.Data()
	if err != nil {
		t.Fatal(err)
	}
	read := func(addr uint64, p []byte) error {
		for _, s := range f.Progs {
			if s.Type == elf.PT_LOAD && addr >= s.Vaddr && addr < s.Vaddr+s.Filesz {
				_, _ = s.ReadAt(p, int64(addr-s.Vaddr)) // the end of the file may come first
				return nil
			}
		}
		return os.ErrNotExist
	}
	if table, err = pcln.Open(pcln.Source{Addr: section.Addr, Module: data, Read: read}); err != nil {
		t.Fatal(err)
	}
	return table, f.Section(".text")
}

// TestOwn compares the innermost function, its line and where the outermost
// begins with what the runtime says of the test's own code.
func TestOwn(t *testing.T) {
	table, text := own(t)
	found, inlined := 0, 0
	const step = 61 // no multiple of what functions are aligned to
	for pc := text.Addr; pc < text.Addr+text.Size; pc += step {
		f, err := table.Find(pc)
		if err != nil {
			continue
		}
		calls, err := f.Calls(pc)
		if err != nil {
			t.Fatalf("%#x: %v", pc, err)
		}
		want, _ := runtime.CallersFrames([]uintptr{uintptr(pc) + 1}).Next()
		got := calls[0]
		if want.Function == "" {
			continue // the first one of the table has no name for the runtime
		}
		if printed(got.Name) != want.Function || got.File != want.File || got.Line != want.Line || f.Start != uint64(want.Entry) {
			t.Errorf("%#x: got %#x %+v, want %#x %s %s:%d", pc, f.Start, got, want.Entry, want.Function, want.File, want.Line)
		}
		found++
		if got.Inlined {
			inlined++
		}
	}
	if all := int(text.Size / step); found < all/2 || inlined < all/10 {
		t.Errorf("of %d places %d were found, %d of them inlined", all, found, inlined)
	}
}

// TestOwnStack looks at a stack of this test, with all that was inlined.
func TestOwnStack(t *testing.T) {
	table, _ := own(t)
	var pcs [1]uintptr
	want := outer(pcs[:])
	f, err := table.Find(uint64(pcs[0]) - 1)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := f.Calls(uint64(pcs[0]) - 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, call := range calls {
		got, next := call, want[i]
		if printed(got.Name) != next.Function || got.File != next.File || got.Line != next.Line {
			t.Errorf("#%d: got %+v, want %s %s:%d", i, got, next.Function, next.File, next.Line)
		}
		if got.Inlined != (i < len(calls)-1) {
			t.Errorf("#%d: inlined %t", i, got.Inlined)
		}
	}
	if len(calls) != 3 {
		t.Skip("the compiler has not inlined two calls: ", calls)
	}
}

// printed is a name as the runtime shows it: without type arguments.
func printed(name string) string {
	from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if from < 0 || to < from {
		return name
	}
	return name[:from] + "[...]" + name[to+1:]
}

//go:noinline
func outer(pcs []uintptr) []runtime.Frame {
	frames := middle(pcs)
	return frames[:3]
}

func middle(pcs []uintptr) []runtime.Frame { return inner(pcs) }

func inner(pcs []uintptr) []runtime.Frame { return here(pcs) }

// here returns the frames of its callers, and the address behind the call of
// here.
//
//go:noinline
func here(pcs []uintptr) []runtime.Frame {
	all := make([]uintptr, 10)
	all = all[:runtime.Callers(2, all)]
	pcs[0] = all[0]
	var out []runtime.Frame
	for frames := runtime.CallersFrames(all); ; {
		frame, more := frames.Next()
		out = append(out, frame)
		if !more {
			return out
		}
	}
}
