package translate_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Where the blocks of the tests are. The context is a page before the stubs.
const (
	original = 0x401000
	stubs    = 0x20000000
	hot      = 0x20010000
	cold     = 0x20020000
	left     = stubs - translate.ContextSize
)

// program returns code that stands at original.
func program(t *testing.T, text string) translate.Fetcher {
	t.Helper()
	code, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return func(addr uint64, b []byte) int {
		if addr < original || addr >= original+uint64(len(code)) {
			return 0
		}
		return copy(b, code[addr-original:])
	}
}

// block translates the block at original.
func block(t *testing.T, code string, limit int) translate.Block {
	t.Helper()
	return translate.Translate(translate.Request{
		PC: original, Fetch: program(t, code), Hot: hot, Cold: cold, Stubs: stubs, Limit: limit,
	})
}

// field names a field of the context, register the one for a general register, and counter
// one that counts instructions.
func counter(n int) string    { return field(512 + 8*n) }
func field(offset int) string { return fmt.Sprintf("[%#x]", left+offset) }
func register(n int) string   { return field(64 + 8*n) }

// lines returns the instructions in code. Addresses in the context and in the cold code
// have names.
func lines(code []byte, pc uint64) []string {
	var text []string
	for len(code) > 0 {
		in, err := x86.Decode(code, pc)
		if err != nil {
			return append(text, err.Error())
		}
		line, address, _ := strings.Cut(in.Text(nil), " # ")
		if address != "" {
			line = line[:strings.Index(line, "rip")] + address + line[strings.Index(line, "]"):]
		}
		text = append(text, line)
		code, pc = code[in.Len:], in.Next()
	}
	return text
}

func TestHotCode(t *testing.T) {
	for _, test := range []struct {
		name, code string
		count      int
		want       []string
	}{
		// add rax, rbx overwrites all flags: a subtraction may change them before
		{"flags are dead", "4801d8 e9f8ffff0f", 2, []string{
			"sub qword ptr " + counter(0) + ", 2", "js 0x20020000", "add rax, rbx", "jmp 0x20020023",
		}},
		{"flags live", "b801000000 9f f4", 2, []string{
			"mov " + register(1) + ", rcx", "mov rcx, " + counter(0), "lea rcx, [rcx-2]", "mov " + counter(0) + ", rcx",
			"movzx ecx, byte ptr " + field(512+7), "jrcxz 0x20010027", "jmp 0x20020000", "mov rcx, " + register(1),
			"mov eax, 1", "lahf", "jmp 0x2002002a",
		}},
		{"call", "31c0 e800100000", 2, []string{
			"sub qword ptr " + counter(0) + ", 2", "js 0x20020000", "xor eax, eax", "push 0x401007", "jmp 0x20020023",
		}},
		{"call of a function that returns", "31c0 e802000000 90 f4 c3", 4, []string{
			"sub qword ptr " + counter(0) + ", 4", "js 0x20020000", "xor eax, eax", "push 0x401007",
			"mov " + register(1) + ", rcx", "mov rcx, [rsp]", "mov " + register(2) + ", rdx", "mov rdx, [0x20020023]",
			"lea rcx, [rcx+rdx]", "mov rdx, " + register(2), "jrcxz 0x20010040", "jmp 0x2002002b", "mov rcx, " + register(1),
			"lea rsp, [rsp+8]", "nop", "jmp 0x2002007a",
		}},
		{"near operand", "31c0 8b0500000010 f4", 2, []string{
			"sub qword ptr " + counter(0) + ", 2", "js 0x20020000", "xor eax, eax", "mov eax, [0x10401008]", "jmp 0x20020023",
		}},
		{"system call", "31c0 0f05", 2, []string{
			"sub qword ptr " + counter(0) + ", 2", "js 0x20020000", "xor eax, eax",
			"mov " + register(0) + ", rax", "mov " + register(1) + ", rcx", "mov " + register(11) + ", r11", "syscall",
			"lea rcx, [rax+0x26]", "jrcxz 0x20010032", "jmp 0x2001003b", "mov rax, " + register(0), "syscall",
			"mov rcx, 0x401004", "jmp qword ptr [0x20020023]",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := block(t, test.code, 0)
			if diff := cmp.Diff(test.want, lines(b.Hot, hot)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if b.Count != test.count {
				t.Errorf("%d instructions are counted, want %d", b.Count, test.count)
			}
		})
	}
}

// TestCallOfVariableCode makes sure that no block continues in code that may change by a
// call or a return.
func TestCallOfVariableCode(t *testing.T) {
	const code = "31c0 e802000000 90 f4 c3" // xor eax, eax; call 1f; nop; hlt; 1: ret
	whole := program(t, code)
	for variable, want := range map[uint64]int{original + 9: 2, original + 7: 3} { // from there on it may change
		b := translate.Translate(translate.Request{
			PC: original, Variable: whole, Hot: hot, Cold: cold, Stubs: stubs,
			Fetch: func(addr uint64, b []byte) int {
				if addr == original+9 && variable < addr {
					return whole(addr, b) // the function does not change
				}
				return min(whole(addr, b), int(max(addr, variable)-addr))
			},
		})
		if b.Count != want {
			t.Errorf("%d instructions if code may change from %#x on, want %d", b.Count, variable, want)
		}
	}
}

// TestVariableCode makes sure that a block compares all of its code that may change, before
// it counts, and continues neither behind a jump nor in a loop.
func TestVariableCode(t *testing.T) {
	const code = "31c0 48b90807060504030201 f4" // xor eax, eax; mov rcx, 0x102030405060708; hlt
	b := translate.Translate(translate.Request{
		PC: original, Fetch: func(uint64, []byte) int { return 0 }, Variable: program(t, code), Hot: hot, Cold: cold, Stubs: stubs,
	})
	want := []string{
		"mov " + register(1) + ", rcx", "mov " + register(2) + ", rdx",
		"mov rcx, [0x401000]", "mov rdx, 0xfaf9f8f746b73fcf", "lea rcx, [rcx+rdx]", "jrcxz 0x2001002a", "jmp 0x20020000",
		"mov rcx, [0x401004]", "mov rdx, 0xfefdfcfbfaf9f8f8", "lea rcx, [rcx+rdx]", "jrcxz 0x20010046", "jmp 0x20020000",
		"mov rdx, " + register(2), "mov rcx, " + register(1),
	}
	if got := lines(b.Hot, hot); len(got) < len(want) || !cmp.Equal(want, got[:len(want)]) {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
	for _, code := range []string{"31c0 eb00 31c9 f4", "31c0 75fc 31c9 f4"} { // jmp +0; jne original
		b := translate.Translate(translate.Request{
			PC: original, Fetch: func(uint64, []byte) int { return 0 }, Variable: program(t, code), Hot: hot, Cold: cold, Stubs: stubs,
		})
		if b.Count != 2 {
			t.Errorf("a block of %s has %d instructions, want 2", code, b.Count)
		}
	}
}

// TestLoopIsRepeated makes sure that a loop is in its block several times, with the
// instructions counted that are not executed when it is left.
func TestLoopIsRepeated(t *testing.T) {
	b := block(t, "48ffc8 75fb f4", 0) // dec rax; jne
	if b.Count != 16 {
		t.Errorf("%d instructions, want 8 rounds of 2", b.Count)
	}
	text := strings.Join(lines(b.Hot, hot), "\n")
	if n := strings.Count(text, "je 0x2002"); n != 7 {
		t.Errorf("the loop is left in %d places, want 7:\n%s", n, text)
	}
	if got := lines(b.Cold, cold); !strings.Contains(strings.Join(got, "\n"), "lea rcx, [rcx+0xe]") {
		t.Errorf("14 instructions are not given back behind the first round:\n%s", strings.Join(got, "\n"))
	}
}

// TestCompact makes sure that a compact block ends at its first branch, and that a loop to
// its start is repeated nevertheless.
func TestCompact(t *testing.T) {
	for code, want := range map[string]int{
		"31c0 7501 90 31c9 f4":    2,  // jne over the nop
		"31c0 e800000000 31c9 c3": 2,  // call of the next instruction
		"48ffc8 75fb f4":          16, // dec rax; jne
	} {
		b := translate.Translate(translate.Request{
			PC: original, Fetch: program(t, code), Hot: hot, Cold: cold, Stubs: stubs, Compact: true,
		})
		if b.Count != want {
			t.Errorf("a compact block of %s has %d instructions, want %d", code, b.Count, want)
		}
	}
}

// TestFarOperand makes sure that an operand out of reach goes through a register that
// the instruction does not use, also one that is encoded by VEX.
func TestFarOperand(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"488b3d00100000", "mov rdi, [rsi]"},
		{"488b3500100000", "mov rsi, [rdi]"},
		{"4c8b3d00100000", "mov r15, [rsi]"},
		{"c4e2c9fc3d00100000", ""}, // not an instruction
		{"c5c9583d00100000", "vaddpd xmm7, xmm6, [rbx]"},
		{"c4e1c9583500100000", "vaddpd xmm6, xmm6, [rdi]"},
		{"66410f583500100000", "addpd xmm6, [rdi]"},
		{"c7050010000001000000", "mov dword ptr [rsi], 1"},
	} {
		b := translate.Translate(translate.Request{
			PC: original, Fetch: program(t, test.code), Hot: hot + 1<<40, Cold: cold + 1<<40, Stubs: stubs + 1<<40,
		})
		got := strings.Join(lines(b.Hot, hot+1<<40), "\n")
		if test.want == "" && b.Count != 0 || !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.code, got, test.want)
		}
	}
}

// TestSegments makes sure that the target of an indirect branch is loaded from the
// segment that the branch names.
func TestSegments(t *testing.T) {
	for code, want := range map[string]string{
		"ff10": "mov rax, [rax]", "64ff10": "mov rax, fs:[rax]", "65ff10": "mov rax, gs:[rax]", "65ff6308": "mov r11, gs:[rbx+8]",
		"41ff23": "mov r11, [r11]", "41ffe3": "mov r11, r11", "43ff64e508": "mov r11, [r13+r12*8+8]",
	} {
		if got := lines(block(t, code, 0).Hot, hot); !slices.Contains(got, want) {
			t.Errorf("%s: no %s in\n%s", code, want, strings.Join(got, "\n"))
		}
	}
}

// TestNative makes sure that blocks end before what must be executed elsewhere.
func TestNative(t *testing.T) {
	for _, code := range []string{
		"0f31", "0fa2", "0fc7f0", "cc", "0f0b", "cd80", "9d", "f4", "8ed8", "0fa9", "ff28", "cb", "66c3", "f0eb00", "67488b0500000000",
		"64ff2500000000", "65ff1500000000", // jmp fs:[rip+0], call gs:[rip+0]
	} {
		b := block(t, code+"90", 0)
		if len(b.Exits) != 1 || b.Exits[0].Kind != translate.ExitNative || b.Exits[0].Target != original || b.Count != 0 {
			t.Errorf("%s: %d instructions, exits %+v", code, b.Count, b.Exits)
		}
	}
}

func TestLimit(t *testing.T) {
	b := block(t, strings.Repeat("90", 300), 7)
	if b.Count != 7 || b.Exits[1].Target != original+7 {
		t.Errorf("%d instructions, exits %+v", b.Count, b.Exits)
	}
	if pc, length, ok := b.Continuation(hot); !ok || pc != original+7 || length != len(b.Hot)-5 {
		t.Errorf("continues at %#x after %d bytes, %v", pc, length, ok)
	}
}

func TestDeadFlags(t *testing.T) {
	const carry, parity, adjust, zero, sign, overflow = 1 << 0, 1 << 2, 1 << 4, 1 << 6, 1 << 7, 1 << 11
	const all = carry | parity | adjust | zero | sign | overflow
	for _, test := range []struct {
		name, code string
		want       uint64
	}{
		{"overwritten", "89c3 39d8", all},                           // mov; cmp
		{"read", "7400", 0},                                         // je
		{"inc leaves carry", "ffc0 0f92c0 39d8", all &^ carry},      // inc; setb; cmp
		{"add with carry", "11d8", all &^ carry},                    // adc
		{"shift by cl", "d3e0 f4", 0},                               // shl: the count may be 0
		{"shift", "c1e003 f4", carry | parity | zero | sign},        // shl by 3
		{"jump", "eb02 0000 39d8", all},                             // jmp; cmp
		{"syscall stores flags", "0f05 39d8", 0},                    //
		{"return", "c3", 0},                                         //
		{"conditional move", "0f44c3 39d8", all &^ zero},            // cmove; cmp
		{"behind a branch", "7502 39d8 39d8", 0},                    // jne: the other way is unknown
		{"multiplication", "0fafc3 f4", carry | overflow},           // imul
		{"comparison of numbers", "0f2ec1", all},                    // ucomiss
		{"flags to ah", "9f 39d8", overflow},                        // lahf; cmp
		{"repeated comparison", "f3a6 f4", 0},                       // rcx may be 0
		{"twelve later", strings.Repeat("90", 12) + "39d8", 0},      // out of sight
		{"eleven later", strings.Repeat("90", 11) + "39d8", all},    //
		{"code that is not there", "", 0},                           //
		{"exchange with memory", "0fb10b", all},                     // cmpxchg
		{"floating point move by carry", "dac1 39d8", all &^ carry}, // fcmovb; cmp
	} {
		if got := translate.DeadFlags(program(t, test.code), original); got != test.want {
			t.Errorf("%s: %#x, want %#x", test.name, got, test.want)
		}
	}
}
