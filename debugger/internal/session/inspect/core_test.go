package inspect_test

import (
	"math"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

func core(t *testing.T) *session.Session {
	t.Helper()
	return sessiontest.AddCore(t, sessiontest.NewRegistry(t))
}

// Expressions have the values that counter.c left, and addresses are numbers or
// expressions.
func TestEvaluate(t *testing.T) {
	s := core(t)
	for text, want := range map[string]uint64{
		"0x401000": 0x401000, "16": 16, "&data": 0x402000, "&data.table[3]": 0x40200c,
		"data.where": 4 * 16, "$rip": 0x40104d, "data.table[3] + factor": 3*16 + 3, // fill wrote i * 16
		"$pc - 0x40103f": 0xe, "$eax": 0x40,
	} {
		if got, err := s.Inspector.Address(t.Context(), text); err != nil || got != want {
			t.Errorf("%s: %#x, %v, want %#x", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"data.": "cannot be understood", "nothing": "nothing", "$nothing": "there are rax to r15", "*data.where + 1": "read memory at 0x40",
	} {
		if _, err := s.Inspector.Address(t.Context(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A frame that is not the innermost one has the registers that were saved (System V
// ABI, figure 3.4: rbx, rbp, rsp and r12 to r15), and no others.
func TestRegistersOfACaller(t *testing.T) {
	s := core(t)
	for name, frame := range map[string]int{"$eax": 1, "$rcx": 1, "$eflags": 1, "$cs": 1} {
		if _, err := s.Inspector.Evaluate(t.Context(), name, 0, frame); err == nil || !strings.Contains(err.Error(), name+" was not saved for this frame") {
			t.Errorf("%s of frame %d: %v", name, frame, err)
		}
	}
	pc, err := s.Inspector.Evaluate(t.Context(), "$rip", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if addr, err := pc.Address(); err != nil || addr != 0x401071 { // behind the call of use
		t.Errorf("the caller goes on at %#x, %v", addr, err)
	}
	sp, err := s.Inspector.Evaluate(t.Context(), "$rsp", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := s.Inspector.Evaluate(t.Context(), "$rsp", 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	inner, _ := sp.Address()
	if outer, _ := caller.Address(); outer != inner+16 { // use has pushed rbp, and call the address
		t.Errorf("rsp is %#x in the caller and %#x inside", outer, inner)
	}
}

// Addresses are named by the function or variable that they are in.
func TestSymbols(t *testing.T) {
	s := core(t)
	for addr, want := range map[uint64]string{
		0x401000: "fill", 0x40104d: "use+0xe", 0x401082: "_start+0x2d", 0x402000: "data", 0x402010: "data+0x10", 0: "", 0x500000: "",
	} {
		if got := s.Inspector.Symbol(addr); got != want {
			t.Errorf("%#x: %q, want %q", addr, got, want)
		}
	}
	for addr, want := range map[uint64]int{0x401000: 9, 0x40102c: 11, 0x40104d: 16, 0x401071: 22, 0x402000: 0} { // objdump --dwarf=decodedline
		if _, _, line := s.Inspector.Place(addr); line != want {
			t.Errorf("%#x: line %d, want %d", addr, line, want)
		}
	}
}

// A breakpoint is behind the prologue of a function, also if the line is that of its
// beginning, or at the first code of a line or of the next line with code.
func TestPlaces(t *testing.T) {
	s := core(t)
	for name, want := range map[string]uint64{"fill": 0x401007, "use": 0x401046, "_start": 0x40105d} {
		got, err := s.Inspector.FunctionPlaces(t.Context(), name)
		if err != nil || len(got) != 1 || got[0].Addr != want {
			t.Errorf("%s: %+v, %v, want %#x", name, got, err, want)
		}
	}
	for line, want := range map[int]uint64{9: 0x401007, 11: 0x401010, 13: 0x401046, 16: 0x401046} {
		got, err := s.Inspector.LinePlaces(t.Context(), "counter.c", line)
		if err != nil || len(got) != 1 || got[0].Addr != want {
			t.Errorf("line %d: %+v, %v, want %#x", line, got, err, want)
		}
	}
	if _, err := s.Inspector.FunctionPlaces(t.Context(), "fil"); err == nil || !strings.Contains(err.Error(), "no function fil is known; there is fill") {
		t.Errorf("a similar name: %v", err)
	}
	for file, want := range map[string]string{"other.c": "no source file other.c is known", "counter.c": "no code is known for line 99 of counter.c"} {
		if _, err := s.Inspector.LinePlaces(t.Context(), file, 99); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

// A step knows whether it is still in its function, where the body of a function
// begins, and how deep calls are.
func TestFunctions(t *testing.T) {
	s := core(t)
	use, ok := s.Inspector.Program.Function(0x40104d)
	if !ok {
		t.Fatal("there is no function")
	}
	for addr, want := range map[uint64]bool{0x40103f: true, 0x401054: true, 0x40103e: false, 0x401055: false, 0x500000: false} {
		if got := s.Inspector.SameFunction(addr, use); got != want {
			t.Errorf("%#x is in use: %t", addr, got)
		}
	}
	for addr, want := range map[uint64]uint64{0x401000: 0x401007, 0x40103f: 0x401046, 0x401041: 0x401041, 0x500000: 0x500000} {
		if got := s.Inspector.BodyOf(t.Context(), addr); got != want {
			t.Errorf("the body of %#x is at %#x, want %#x", addr, got, want)
		}
	}
	inner, err := s.Inspector.LevelOf(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	regs, _ := s.Target.View.Regs(0)
	outer, err := s.Inspector.LevelOf(0, regs.RSP+16)
	if err != nil || !outer.Outside(inner) || inner.Outside(outer) || !inner.Outside(inner) {
		t.Errorf("the caller has level %+v (%v), use has %+v", outer, err, inner)
	}
	if (inspect.Level{Owner: inner.Owner + 1}).Outside(inner) {
		t.Error("the level of another thread is outside")
	}
	if s.Inspector.IsGo() || s.Inspector.Throwing() || s.Inspector.GrowsStack(0x40104d) {
		t.Error("a program of C is one of Go, or throws")
	}
}

// A goroutine of a program without them, and a frame that is not there, are refused
// with what there is.
func TestNotThere(t *testing.T) {
	s := core(t)
	if _, err := s.Inspector.Frame(0, 3); err == nil || !strings.Contains(err.Error(), "the stack has 3 frames, counted from 0") {
		t.Errorf("frame 3: %v", err) // behind _start the kernel has put the arguments on the stack
	}
	if _, err := s.Inspector.Frames(inspect.OfGoroutine(1), 9); err == nil || !strings.Contains(err.Error(), "not made by Go's compiler") {
		t.Errorf("goroutine 1: %v", err)
	}
	if _, err := s.Inspector.Frames(1, 9); err == nil {
		t.Error("there is a thread 1")
	}
}

// The address of a fault is told as the kernel tells it. For an operand that is not
// canonical it tells none (Intel SDM volume 3, 6.15): the registers have it.
func TestFault(t *testing.T) {
	s := core(t)
	if at, text := s.Inspector.Fault(s.Target.CurrentStop()); at != "0x40" || text != ", which is about the address 0x40" {
		t.Errorf("%s%s", at, text)
	}
	const kernel = 0x80 // SI_KERNEL
	refused := proc.Stop{Why: proc.Signalled, Signal: 11, Code: kernel}
	if at, text := s.Inspector.Fault(refused); at != "" || text != ", which the processor raised without an address" {
		t.Errorf("with rax at 0x40: %q%s", at, text)
	}
	if at, text := s.Inspector.Fault(proc.Stop{Why: proc.Signalled, Signal: 10, Code: 1}); at != "" || text != "" { // SIGUSR1
		t.Errorf("another signal: %q%s", at, text)
	}
}

// The frame that conditions are checked with has zeros everywhere.
func TestScopeAt(t *testing.T) {
	s := core(t)
	scope := s.Inspector.ScopeAt(0x401046)
	if scope == nil || scope.PC() != 0x401046 || !scope.Innermost() {
		t.Fatalf("%+v", scope)
	}
	if v, size, err := scope.Register("rip"); v != 0 || size != 8 || err != nil {
		t.Errorf("rip is %#x of %d bytes, %v", v, size, err)
	}
	if _, err := scope.Variable(t.Context(), "factor"); err != nil {
		t.Errorf("factor: %v", err)
	}
	if s.Inspector.ScopeAt(math.MaxUint64) != nil {
		t.Error("there is a scope where no code is")
	}
}
