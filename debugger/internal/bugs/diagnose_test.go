package bugs_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// diagnoses are sites, with one file of code each, and what went wrong there.
var diagnoses = []struct {
	name, code string
	site       bugs.Site
	kind       bugs.Kind
	class      bugs.Class
	reason     string // part of it
}{
	{
		"null pointer by address",
		"int f(struct row *r) {\n\treturn r->count;\n}\n",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(8)), Line: 2, Instruction: "mov eax, [rbx+8]", Values: map[string]string{"r": "0x0"}},
		bugs.NullDereference, bugs.Crash, "r is null",
	},
	{
		"null pointer without code", "",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0))},
		bugs.NullDereference, bugs.Crash, "0x0",
	},
	{
		"null pointer in a register", "",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(8)), Instruction: "mov rax, [rbx+8]", Values: map[string]string{"rbx": "0x0"}},
		bugs.NullDereference, bugs.Crash, "rbx is null",
	},
	{
		"unchecked allocation",
		"void f(int n) {\n\tchar *p = malloc(n);\n\tp[0] = 1;\n}\n",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0)), Line: 3, Values: map[string]string{"p": "0x0"}},
		bugs.UncheckedAllocation, bugs.Memory, "p is null; the result of the allocation",
	},
	{
		"use after free",
		"int f(struct row *r) {\n\tfree(r);\n\treturn r->count;\n}\n",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0x7fff12340000)), Line: 3},
		bugs.UseAfterFree, bugs.Memory, "the memory was given back before",
	},
	{
		"filled memory", "",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0xdddddddddddddde5))},
		bugs.UseAfterFree, bugs.Memory, "marks freed memory",
	},
	{
		"filled memory in a register", "",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0)), Instruction: "mov rax, [rcx+rdx*8+16]", Values: map[string]string{"rcx": "0xcdcdcdcdcdcdcdcd"}},
		bugs.Uninitialised, bugs.Memory, "rcx is 0xcdcdcdcdcdcdcdcd",
	},
	{
		"an address that cannot exist", "",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0)), Instruction: "mov rax, [rcx]", Values: map[string]string{"rcx": "0x4141414141414141"}},
		bugs.WildPointer, bugs.Memory, "cannot exist",
	},
	{
		"stack overflow", "",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0x7ffc00000ff8)), Instruction: "push rbx", Values: map[string]string{"rsp": "0x7ffc00001000"}},
		bugs.StackOverflow, bugs.Crash, "next to the stack pointer",
	},
	{
		"division by zero",
		"int f(int a, int d) {\n\treturn a / d;\n}\n",
		bugs.Site{Signal: "SIGFPE", Line: 2, Values: map[string]string{"a": "7", "d": "0"}},
		bugs.DivisionByZero, bugs.Crash, "d is 0",
	},
	{
		"the second divisor is zero",
		"int f(int a, int d, int e) {\n\treturn a / d + a % e;\n}\n",
		bugs.Site{Signal: "SIGFPE", Line: 2, Values: map[string]string{"a": "7", "d": "-1", "e": "0"}},
		bugs.DivisionByZero, bugs.Crash, "e is 0",
	},
	{
		"quotient that does not fit",
		"int f(int a, int d) {\n\treturn a / d;\n}\n",
		bugs.Site{Signal: "SIGFPE", Line: 2, Values: map[string]string{"a": "-2147483648", "d": "-1"}},
		bugs.IntegerOverflow, bugs.Logic, "d is -1",
	},
	{
		"division without a signal",
		"int f(int a, int d) {\n\treturn a / d;\n}\n",
		bugs.Site{Line: 2, Values: map[string]string{"d": "0"}},
		bugs.DivisionByZero, bugs.Crash, "d is 0",
	},
	{
		"negative index",
		"int f(int i) {\n\treturn table[i];\n}\n",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0x5555abcd0000)), Line: 2, Values: map[string]string{"i": "-4000000"}},
		bugs.OutOfBounds, bugs.Crash, "i is -4000000",
	},
	{
		"index behind the length",
		"int f(int i) {\n\treturn table[i];\n}\n",
		bugs.Site{Line: 2, Values: map[string]string{"i": "10", "len(table)": "10"}},
		bugs.OutOfBounds, bugs.Crash, "table has 10 elements",
	},
	{
		"stack guard", "",
		bugs.Site{Signal: "SIGABRT", Function: "__stack_chk_fail"},
		bugs.BufferOverflow, bugs.Memory, "overwritten",
	},
	{
		"bounds check of Rust", "",
		bugs.Site{Signal: "SIGABRT", Function: "core::panicking::panic_bounds_check"},
		bugs.OutOfBounds, bugs.Crash, "beyond the length",
	},
	{
		"nil pointer of Go", "",
		bugs.Site{Function: "runtime.panicmem"},
		bugs.NullDereference, bugs.Crash, "nil pointer",
	},
	{
		"unknown address", "",
		bugs.Site{Signal: "SIGSEGV", FaultAddress: new(uint64(0x7fff12340000))},
		bugs.WildPointer, bugs.Memory, "not mapped",
	},
	{
		"abort", "",
		bugs.Site{Signal: "SIGABRT"},
		bugs.FailedAssertion, bugs.Crash, "ended itself",
	},
	{
		"a signal that says nothing", "",
		bugs.Site{Signal: "SIGUSR1"},
		"", bugs.Crash, "SIGUSR1",
	},
	{
		"only code",
		"int f(void) {\n\tif (a = 1)\n\t\treturn 2;\n}\n",
		bugs.Site{Line: 2},
		bugs.WrongComparison, bugs.Logic, "assigns",
	},
	{
		"only code, and nothing wrong with it",
		"int f(void) {\n\treturn 2;\n}\n",
		bugs.Site{Line: 2},
		"", bugs.Logic, "no signal",
	},
}

func TestDiagnosis(t *testing.T) {
	f := finder(t, bugs.Config{})
	for _, c := range diagnoses {
		t.Run(c.name, func(t *testing.T) {
			folder := write(t, map[string]string{"site.c": c.code})
			site := c.site
			if c.code != "" {
				site.File = "site.c"
			}
			got := find(t, f, bugs.Request{Path: folder, Site: site}).Diagnosis
			if got.Kind != c.kind || got.Class != c.class || !strings.Contains(got.Reason, c.reason) {
				t.Errorf("got %+v, want %s, %s, …%s…", got, c.kind, c.class, c.reason)
			}
			if got.Title != c.kind.Title() {
				t.Errorf("title is %q", got.Title)
			}
		})
	}
}

// A class that is asked for overrules what was found out.
func TestDiagnosisOfAClass(t *testing.T) {
	folder := write(t, map[string]string{
		"site.c":  "int f(struct row *r) {\n\tfree(r);\n\tif (r->count = 1) return 2;\n}\n",
		"other.c": "int g(int a) {\n\tif (a = 3) return 2;\n\tgets(buf);\n}\n",
	})
	f := finder(t, bugs.Config{})
	for _, c := range []struct {
		class bugs.Class
		kind  bugs.Kind
	}{
		{bugs.Memory, bugs.UseAfterFree},
		{bugs.Logic, bugs.WrongComparison},
	} {
		r := find(t, f, bugs.Request{Path: folder, Class: c.class, Site: bugs.Site{File: "site.c", Line: 3}})
		if r.Diagnosis.Class != c.class || r.Diagnosis.Kind != c.kind {
			t.Errorf("%s: diagnosis is %+v", c.class, r.Diagnosis)
		}
	}
	r := find(t, f, bugs.Request{Path: folder, Class: bugs.Memory})
	if len(r.Findings) != 2 || r.Findings[0].Kind != bugs.BufferOverflow || r.Findings[1].Kind != bugs.UseAfterFree {
		t.Errorf("memory bugs are %+v", r.Findings)
	}
}
