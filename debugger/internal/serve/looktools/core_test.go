package looktools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
)

// core returns the tools, and a session of the core file of counter.c.
func core(t *testing.T) (*Group, *session.Session) {
	t.Helper()
	r := sessiontest.NewRegistry(t)
	return &Group{Sessions: r}, sessiontest.AddCore(t, r)
}

// shown fails the test unless an answer has the text, or the error does.
func shown(t *testing.T, answer fmt.Stringer, err error, want string) {
	t.Helper()
	got := ""
	if err != nil {
		got = "error: " + err.Error()
	} else {
		got = answer.String()
	}
	if !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// texted makes the text of an answer a Stringer.
type texted struct{ answer interface{ Text() string } }

func (a texted) String() string { return a.answer.Text() }

// Memory is shown 16 bytes a row, up to the first that cannot be read. What gdb shows
// of data are the multiples of 16 that fill wrote.
func TestReadMemory(t *testing.T) {
	g, s := core(t)
	for _, tt := range []struct {
		address string
		length  int
		want    string
	}{
		{"&data", 20, "0x402000: 00 00 00 00 10 00 00 00 20 00 00 00 30 00 00 00  ........ ...0...\n0x402010: 40 00 00 00" + strings.Repeat(" ", 38) + "@..."},
		{"data.table + 1", 1, "0x402004: 10 "},
		{"0x402ffc", 8, "\n(4 more bytes cannot be read)"}, // its page ends there
		{"0x40", 1, "error: read memory at 0x40: nothing was mapped there"},
		{"nothing", 1, "error: Expression failed: "},
		{"1 +", 1, "error: the expression cannot be understood: "},
	} {
		answer, err := g.readMemory(t.Context(), nil, s, readArgs{Address: tt.address, Length: tt.length})
		shown(t, texted{answer}, err, tt.want)
	}
	answer, err := g.readMemory(t.Context(), nil, s, readArgs{Address: "&data.where", Length: 2})
	if err != nil || answer.Hex != "4000" || answer.AuditAddress() != "0x402010" || answer.Missing != 0 {
		t.Errorf("%+v, %v", answer, err)
	}
}

// Code is shown as objdump -M intel shows it, with an arrow at the next instruction.
func TestDisassemble(t *testing.T) {
	g, s := core(t)
	answer, err := g.disassemble(t.Context(), nil, s, disassembleArgs{Count: 3})
	shown(t, texted{answer}, err, "=> 0x40104d <use+0xe>  mov eax, [rax]\n   0x40104f <use+0x10>  imul eax, [rbp-4]\n   0x401053 <use+0x14>  pop rbp")
	if first := answer.Instructions[0]; first.Bytes != "8b00" || first.Line != 16 || !first.Current || answer.Instructions[1].Current {
		t.Errorf("%+v", first)
	}
	answer, err = g.disassemble(t.Context(), nil, s, disassembleArgs{Address: "fill", Count: 1000})
	if err != nil || len(answer.Instructions) != 1000 || answer.Instructions[0].Text != "push rbp" || answer.Instructions[0].Line != 9 {
		t.Errorf("%d instructions, %v", len(answer.Instructions), err)
	}
	_, err = g.disassemble(t.Context(), nil, s, disassembleArgs{Address: "0x40", Count: 1})
	shown(t, nil, err, "error: read memory at 0x40")
}

// Values have the form that was asked for.
func TestEvaluate(t *testing.T) {
	g, s := core(t)
	for _, tt := range []struct {
		args evaluateArgs
		want string
	}{
		{evaluateArgs{Expression: "data.table[2] + factor"}, "data.table[2] + factor: int = 35"},
		{evaluateArgs{Expression: "/x data.table[3]"}, "= 0x30"},
		{evaluateArgs{Expression: "/t factor"}, "= 0b11"},
		{evaluateArgs{Expression: "/o data.table[1]"}, "= 020"},
		{evaluateArgs{Expression: "data.table"}, "int [4] = {0, 16, 32, 48}"},
		{evaluateArgs{Expression: "data.table[1:3]"}, "= {16, 32}"},
		{evaluateArgs{Expression: "data.table", shapeArgs: shapeArgs{Elements: 2}}, "= {0, 16…}"},
		{evaluateArgs{Expression: "data.table", shapeArgs: shapeArgs{Elements: 1, From: 3}}, "48"},
		{evaluateArgs{Expression: "/q factor"}, "error: there is no format /q; /x is hexadecimal"},
		{evaluateArgs{Expression: "factor", Frame: 1}, "error: Expression failed: "},
		{evaluateArgs{Expression: "fill(1)"}, "error: No process: functions can be called in a live process only"},
		{evaluateArgs{Expression: "data", Layout: true}, "struct {...}, 24 bytes\n      0    16  table: int [4]\n     16     8  where: int *"},
		{evaluateArgs{Expression: "int", Layout: true}, "type int, 4 bytes"},
		{evaluateArgs{Expression: "1 + 1", Layout: true}, "error: a int is computed; only types of the program have a layout"},
	} {
		answer, err := g.evaluate(t.Context(), nil, s, tt.args)
		shown(t, texted{answer}, err, tt.want)
	}
	if answer, err := g.evaluate(t.Context(), nil, s, evaluateArgs{Expression: "data.where"}); err != nil || answer.Address != "0x402010" {
		t.Errorf("%+v, %v", answer, err)
	}
}

// Names are found by a part or by a pattern, memory by its bytes, and each search goes on
// where the last one ended.
func TestFind(t *testing.T) {
	g, s := core(t)
	for _, tt := range []struct{ kind, pattern, from, want string }{
		{"function", "l", "", "1 result\n0x401000  fill  /tmp/counter/counter.c:9"},
		{"function", "_*", "", "1 result\n0x401055  _start"},
		{"function", "*", "2", "1 result of 3"},
		{"variable", "data", "", "0x402000  data"},
		{"variable", "no such", "", "0 results"},
		{"module", "counter", "", "0x400000  to 0x403000  in /tmp/counter/counter  build "},
		{"hex", "10000000 2000 0000", "", "1 result\n0x402004  data+0x4"},
		{"pointer", "data.where", "", "\n0x402010  data+0x10  "}, // it holds 0x40 itself
		{"function", "[", "", "error: "},
	} {
		args := findArgs{Kind: tt.kind, Pattern: tt.pattern, From: tt.from}
		if err := args.Validate(); err != nil {
			t.Errorf("%+v: %v", args, err)
		}
		answer, err := g.find(t.Context(), nil, s, args)
		shown(t, texted{answer}, err, tt.want)
	}
	for _, args := range []findArgs{{Kind: "hex", Pattern: "1"}, {Kind: "hex", Pattern: "xx"}, {Kind: "text", Pattern: "a", From: "later"}} {
		if args.Validate() == nil {
			t.Errorf("%+v is accepted", args)
		}
	}
}

// The variables of the frame are shown, or of the program.
func TestVariables(t *testing.T) {
	g, s := core(t)
	for _, tt := range []struct {
		args variablesArgs
		want string
	}{
		{variablesArgs{Scope: "local"}, "Local variables:\n  factor: int = 3"},
		{variablesArgs{Scope: "local", Frame: 1}, "Local variables:\n  got: int = "},
		{variablesArgs{Scope: "local", Filter: "x"}, "Local variables:\n  (none)"},
		{variablesArgs{Scope: "global"}, "Global variables:\n  data: struct {...} = {table = {0, 16, 32, 48}, where = 0x40}"},
		{variablesArgs{Scope: "all", Filter: "d*"}, "Local variables:\n  (none)\nGlobal variables:\n  data"},
		{variablesArgs{Scope: "local", Filter: "[a"}, "error: "},
		{variablesArgs{Scope: "local", Frame: 9}, "error: No such frame"},
	} {
		answer, err := g.variables(t.Context(), nil, s, tt.args)
		shown(t, texted{answer}, err, tt.want)
	}
	answer, err := g.variables(t.Context(), nil, s, variablesArgs{Scope: "local"})
	if err != nil || len(answer.Local) != 1 || !answer.Local[0].Argument {
		t.Errorf("%+v, %v", answer.Local, err)
	}
}

// A stack is cut at as many frames as were asked for, and says so.
func TestStackTrace(t *testing.T) {
	g, s := core(t)
	answer, err := g.stackTrace(t.Context(), nil, s, stackArgs{MaxFrames: 1})
	shown(t, texted{answer}, err, "Stack trace:\n#0  0x40104d use+0xe /tmp/counter/counter.c:16\n(more frames follow)")
	answer, err = g.stackTrace(t.Context(), nil, s, stackArgs{MaxFrames: 9})
	shown(t, texted{answer}, err, "\n#1  0x401071 _start+0x1c /tmp/counter/counter.c:22")
	if f := answer.Frames; answer.More || f[0].Module != "/tmp/counter/counter" || f[1].Module != "" || f[1].Offset != 0x1c {
		t.Errorf("%+v", answer)
	}
}

// Threads are listed where they are, and one of them can be chosen.
func TestThreads(t *testing.T) {
	g, s := core(t)
	answer, err := g.threads(t.Context(), nil, s, threadsArgs{})
	shown(t, texted{answer}, err, fmt.Sprintf("Threads:\n* %d counter at 0x40104d use+0xe /tmp/counter/counter.c:16", s.Target.PID))
	_, err = g.threads(t.Context(), nil, s, threadsArgs{Select: s.Target.PID})
	if err != nil {
		t.Error(err)
	}
	_, err = g.threads(t.Context(), nil, s, threadsArgs{Select: s.Target.PID + 1})
	shown(t, nil, err, "error: no such thread")
}

// Registers have the values that gdb shows, and the place that one is the address of.
func TestRegisters(t *testing.T) {
	g, s := core(t)
	answer, err := g.registers(t.Context(), nil, s, registersArgs{Set: "general"})
	shown(t, texted{answer}, err, "\n  rax     = 0x40\n")
	shown(t, texted{answer}, err, "\n  rip     = 0x40104d <use+0xe>")
	shown(t, texted{answer}, err, "\n  eflags  = 0x10202\n")
}

// Bytes to write are given in one way, and never to a core file.
func TestWriteArguments(t *testing.T) {
	for _, tt := range []struct {
		args writeArgs
		ok   bool
	}{
		{writeArgs{Address: "1", Hex: "2a"}, true}, {writeArgs{Address: "1", Hex: "2a 00\t00"}, true}, {writeArgs{Address: "1", Value: "1"}, true},
		{writeArgs{Address: "1"}, false}, {writeArgs{Address: "1", Hex: "2a", Value: "1"}, false}, {writeArgs{Address: "1", Hex: "2"}, false},
	} {
		if err := tt.args.Validate(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.args, err)
		}
	}
	g, s := core(t)
	g.NoWrite = true
	_, err := g.writeMemory(t.Context(), nil, s, writeArgs{Address: "&data", Hex: "00"})
	shown(t, nil, err, "error: the server was started with --no-write")
}

// A search for similar bugs begins at the place of a crash, with its values.
func TestStopSite(t *testing.T) {
	_, s := core(t)
	got, err := site(s)
	if err != nil {
		t.Fatal(err)
	}
	if got.File != "/tmp/counter/counter.c" || got.Line != 16 || got.Function != "use" || got.Signal != "SIGSEGV" || got.Instruction != "mov eax, [rax]" {
		t.Errorf("%+v", got)
	}
	if got.FaultAddress == nil || *got.FaultAddress != 0x40 || got.Values["factor"] != "3" || got.Values["rax"] != "0x40" {
		t.Errorf("%+v", got)
	}
}

// A tool says where the process is the first time only.
func TestStateIsToldOnce(t *testing.T) {
	g, s := core(t)
	for _, told := range []bool{true, false} {
		answer, err := g.threads(t.Context(), nil, s, threadsArgs{SessionArg: sessiontools.SessionArg{Session: s.ID}})
		if err != nil || (answer.State != nil) != told {
			t.Errorf("%+v, %v, want a state: %t", answer.State, err, told)
		}
	}
}
