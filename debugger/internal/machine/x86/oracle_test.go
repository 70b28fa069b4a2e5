package x86_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// libraries are programs with different habits: string functions for each
// vector extension, mathematics, C++, vectorised mathematics, cryptography, Go,
// Rust. Those that are not there are left out.
func libraries() []string {
	patterns := []string{
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libm.so.6",
		"/lib/x86_64-linux-gnu/libmvec.so.1",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/lib64/libc.so.6",
		"/usr/local/go/bin/go",
		filepath.Join(os.Getenv("HOME"), ".rustup/toolchains/stable-*/lib/librustc_driver-*.so"),
	}
	var files []string
	if self, err := os.Executable(); err == nil {
		files = append(files, self) // a Go program that is always there
	}
	for _, p := range patterns {
		found, _ := filepath.Glob(p) // the patterns are right
		files = append(files, found...)
	}
	return files
}

// TestLibraries compares what programs consist of with objdump: every length,
// every spelling, every address, every store.
func TestLibraries(t *testing.T) {
	files := libraries()
	if len(files) == 0 {
		t.Skip("none of the programs to compare is installed")
	}
	limit, stride := sample.Count(2_000, 60_000), max(1, 64/sample.Count(1, 16))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			o := oracle{t: t, rng: rand.New(rand.NewPCG(1, 2))}
			objdump(t, 1, func(l line) bool {
				if l.index%stride == 0 {
					o.check(l)
				}
				return o.total < limit
			}, "-d", file)
			t.Logf("%d instructions, %d stores", o.total, o.stores)
			if o.total == 0 {
				t.Error("objdump showed no instruction")
			}
		})
	}
}

// An oracle compares instructions one by one.
type oracle struct {
	t      *testing.T
	rng    *rand.Rand
	spans  []x86.Span
	total  int
	stores int
	faults int
}

// fault reports a difference, the first few of them.
func (o *oracle) fault(l line, format string, args ...any) {
	o.t.Helper()
	if o.faults++; o.faults <= 20 {
		o.t.Errorf("%x: % x: %s: %s", l.pc, l.code, l.text, fmt.Sprintf(format, args...))
	}
}

// data reports whether objdump's text is its text for bytes that are no
// instruction.
func data(text string) bool {
	return strings.Contains(text, "(bad)") || strings.HasPrefix(text, ".byte") || text == ""
}

func (o *oracle) check(l line) {
	o.t.Helper()
	if data(l.text) || prefixOnly(l) {
		return
	}
	if l.code[0] == 0x9b && len(l.code) > 1 {
		l = withoutWait(l)
	}
	o.total++
	in, err := x86.Decode(l.code, l.pc)
	if err != nil || int(in.Len) != len(l.code) {
		o.fault(l, "length %d, error %v", in.Len, err)
		return
	}
	o.checkText(l, in.Text(nil))
	o.checkStores(l, &in)
}

// prefixOnly reports whether objdump shows a prefix as if it were an
// instruction, which it does where the rest makes no sense to it.
func prefixOnly(l line) bool {
	for w := range strings.FieldsSeq(l.text) {
		if !isPrefix(w) {
			return false
		}
	}
	return true
}

// withoutWait takes off the fwait that objdump joins to an x87 instruction: it
// shows "9b d9 7c 24 02" as fstcw, this package as fwait and fnstcw.
func withoutWait(l line) line {
	name, rest, _ := strings.Cut(l.text, " ")
	l.text = "fn" + strings.TrimPrefix(name, "f") + " " + rest
	l.code, l.pc = l.code[1:], l.pc+1
	return l
}

func (o *oracle) checkText(l line, text string) {
	o.t.Helper()
	got, want := canonical(text), canonical(l.text)
	if got.name != want.name || !same(got.ops, want.ops) {
		o.fault(l, "got %q, compared as %v and %v", text, got, want)
		return
	}
	if got.size != "" && got.size != want.size {
		o.fault(l, "got %q, whose width differs", text)
	}
}

// checkStores asks whether Writes covers what the text says is stored, with
// random registers, and tells nothing where the text says nothing is.
func (o *oracle) checkStores(l line, in *x86.Inst) {
	o.t.Helper()
	regs := o.randomRegs()
	want, certain := storesOf(l, &regs)
	if in.Class.Is(x86.Barrier) || !certain {
		return
	}
	o.spans = in.Writes(o.spans[:0], &regs, x86.OneIteration)
	for _, w := range want {
		o.stores++
		if !covered(o.spans, w) {
			o.fault(l, "stores %x, but Writes says %x", w, o.spans)
		}
	}
	if len(want) == 0 && len(o.spans) != 0 {
		o.fault(l, "stores nothing, but Writes says %x", o.spans)
	}
	if len(want) > 0 != in.Class.Is(x86.Store) {
		o.fault(l, "class %b", in.Class)
	}
}

func covered(spans []x86.Span, want x86.Span) bool {
	for _, s := range spans {
		if off := want.Addr - s.Addr; off < s.Len && want.Len <= s.Len-off {
			return true
		}
	}
	return false
}

func (o *oracle) randomRegs() x86.Regs {
	var r x86.Regs
	for n := range r.GPR {
		r.GPR[n] = o.rng.Uint64()
	}
	r.GPR[x86.RCX] |= 1 // a repeat happens
	r.FSBase, r.GSBase, r.XSave = o.rng.Uint64(), o.rng.Uint64(), 4096
	return r
}
