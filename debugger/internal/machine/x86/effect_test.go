package x86_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Registers of the tests below. The expected spans are worked out by hand from
// the processor manuals.
const (
	rsp = 0x7ffe_0000_1000
	rdi = 0x5000_0000
	rsi = 0x6000_0000
	rcx = 0x10
	fs  = 0x1_0000_0000
)

func testRegs() x86.Regs {
	r := x86.Regs{FSBase: fs, GSBase: 2 * fs, XSave: 11008}
	r.GPR[x86.RSP], r.GPR[x86.RDI], r.GPR[x86.RSI], r.GPR[x86.RCX] = rsp, rdi, rsi, rcx
	r.GPR[x86.RAX], r.GPR[x86.RBX], r.GPR[x86.RDX] = 0x1000, 0x2000, 0xffff_ffff_ffff_ffff
	return r
}

func TestWrites(t *testing.T) {
	const pc = 0x400000
	tests := []struct {
		name string
		code string
		mode x86.RepeatMode
		want []x86.Span
	}{
		{"mov store", "48 89 43 08", false, []x86.Span{{0x2008, 8}}},
		{"mov load", "48 8b 43 08", false, nil},
		{"mov rip-relative, negative", "89 05 f0 ff ff ff", false, []x86.Span{{pc + 6 - 16, 4}}},
		{"mov rip-relative with immediate behind", "c7 05 10 00 00 00 01 02 03 04", false, []x86.Span{{pc + 10 + 16, 4}}},
		{"disp32 is signed", "c6 83 00 ff ff ff 07", false, []x86.Span{{0x1f00, 1}}},
		{"no base, disp32 is signed", "c6 04 25 00 00 00 80 07", false, []x86.Span{{0xffff_ffff_8000_0000, 1}}},
		{"address of 32 bits wraps", "67 88 02", false, []x86.Span{{0xffff_ffff, 1}}},
		{"fs", "64 48 89 04 25 28 00 00 00", false, []x86.Span{{fs + 0x28, 8}}},
		{"gs with index", "65 88 44 cb 10", false, []x86.Span{{2*fs + 0x2000 + 8*rcx + 0x10, 1}}},
		{"ds means nothing", "3e 88 03", false, []x86.Span{{0x2000, 1}}},
		{"absolute 64 bits", "48 a3 88 77 66 55 44 33 22 11", false, []x86.Span{{0x1122334455667788, 8}}},
		{"cmp reads", "48 39 03", false, nil},
		{"xchg", "48 87 03", false, []x86.Span{{0x2000, 8}}},
		{"lock xadd", "f0 0f c1 03", false, []x86.Span{{0x2000, 4}}},
		{"cmpxchg16b", "48 0f c7 0b", false, []x86.Span{{0x2000, 16}}},
		{"cmpxchg8b", "0f c7 0b", false, []x86.Span{{0x2000, 8}}},

		{"push", "50", false, []x86.Span{{rsp - 8, 8}}},
		{"push word", "66 50", false, []x86.Span{{rsp - 2, 2}}},
		{"push memory", "ff 33", false, []x86.Span{{rsp - 8, 8}}},
		{"push immediate", "6a ff", false, []x86.Span{{rsp - 8, 8}}},
		{"pushf", "9c", false, []x86.Span{{rsp - 8, 8}}},
		{"call", "e8 00 00 00 00", false, []x86.Span{{rsp - 8, 8}}},
		{"call memory", "ff 13", false, []x86.Span{{rsp - 8, 8}}},
		{"call far", "ff 1b", false, []x86.Span{{rsp - 8, 8}}},
		{"call far, 64 bits", "48 ff 1b", false, []x86.Span{{rsp - 16, 16}}},
		{"enter, no level", "c8 20 00 00", false, []x86.Span{{rsp - 8, 8}}},
		{"enter, 3 levels", "c8 20 00 03", false, []x86.Span{{rsp - 32, 32}}},
		{"pop to memory counts rsp after", "8f 44 24 08", false, []x86.Span{{rsp + 8 + 8, 8}}},
		{"pop", "58", false, nil},
		{"leave", "c9", false, nil},
		{"ret", "c3", false, nil},

		{"movsb", "a4", false, []x86.Span{{rdi, 1}}},
		{"rep movsq, one", "f3 48 a5", x86.OneIteration, []x86.Span{{rdi, 8}}},
		{"rep movsq, whole", "f3 48 a5", x86.WholeRepeat, []x86.Span{{rdi, 8 * rcx}}},
		{"repne stosd, whole", "f2 ab", x86.WholeRepeat, []x86.Span{{rdi, 4 * rcx}}},
		{"fs does not move the destination", "64 a4", false, []x86.Span{{rdi, 1}}},
		{"insb", "6c", false, []x86.Span{{rdi, 1}}},
		{"insd with REX.W", "48 6d", false, []x86.Span{{rdi, 4}}},
		{"scasb", "ae", false, nil},
		{"lodsb", "f3 ac", x86.WholeRepeat, nil},

		{"bts immediate", "0f ba 2b 3f", false, []x86.Span{{0x2000, 4}}},
		{"bts register, 64 bits, offset -1", "48 0f ab 13", false, []x86.Span{{0x2000 - 8, 8}}},
		{"btr register, 32 bits, offset -1", "0f b3 13", false, []x86.Span{{0x2000 - 4, 4}}},
		{"btc register, 16 bits, offset 0x1000", "66 0f bb 03", false, []x86.Span{{0x2000 + 0x200, 2}}},
		{"bt register", "48 0f a3 13", false, nil},

		{"movaps", "0f 29 03", false, []x86.Span{{0x2000, 16}}},
		{"movsd is no string operation", "f2 0f 11 03", false, []x86.Span{{0x2000, 8}}},
		{"movss", "f3 0f 11 03", false, []x86.Span{{0x2000, 4}}},
		{"vmovups ymm", "c5 fc 11 03", false, []x86.Span{{0x2000, 32}}},
		{"vmovdqu64 zmm, disp8 in vectors", "62 f1 fe 48 7f 43 01", false, []x86.Span{{0x2040, 64}}},
		{"vextracti128", "c4 e3 7d 39 03 01", false, []x86.Span{{0x2000, 16}}},
		{"vpmovqb, an eighth", "62 f2 7e 48 32 03", false, []x86.Span{{0x2000, 8}}},
		{"vpcompressd, disp8 in elements", "62 f2 7d 49 8b 43 01", false, []x86.Span{{0x2004, 64}}},
		{"vmaskmovps", "c4 e2 7d 2e 03", false, []x86.Span{{0x2000, 32}}},
		{"vcvtps2ph", "c4 e3 7d 1d 03 00", false, []x86.Span{{0x2000, 16}}},
		{"maskmovdqu", "66 0f f7 c1", false, []x86.Span{{rdi, 16}}},
		{"maskmovq with fs", "64 0f f7 c1", false, []x86.Span{{fs + rdi, 8}}},
		{"kmovq", "c4 e1 f8 91 03", false, []x86.Span{{0x2000, 8}}},
		{"fstp tbyte", "db 3b", false, []x86.Span{{0x2000, 10}}},
		{"fnstenv", "d9 33", false, []x86.Span{{0x2000, 28}}},
		{"fnsave", "dd 33", false, []x86.Span{{0x2000, 108}}},
		{"fxsave64", "48 0f ae 03", false, []x86.Span{{0x2000, 512}}},
		{"xsavec", "0f c7 23", false, []x86.Span{{0x2000, 11008}}},
		{"xrstor", "0f ae 2b", false, nil},
		{"stmxcsr", "0f ae 1b", false, []x86.Span{{0x2000, 4}}},
		{"sgdt", "0f 01 03", false, []x86.Span{{0x2000, 10}}},
		{"mov from segment is a word", "8c 1b", false, []x86.Span{{0x2000, 2}}},
		{"mov from segment is a word with REX.W, too", "48 8c 1b", false, []x86.Span{{0x2000, 2}}},
		{"sete", "0f 94 03", false, []x86.Span{{0x2000, 1}}},
		{"movbe", "0f 38 f1 03", false, []x86.Span{{0x2000, 4}}},
		{"long nop", "0f 1f 44 00 00", false, nil},
		{"lea", "48 8d 03", false, nil},
		{"prefetchw", "0f 0d 0b", false, nil},
		{"clflush", "0f ae 3b", false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, err := x86.Decode(hexBytes(t, tt.code), pc)
			if err != nil {
				t.Fatal(err)
			}
			regs := testRegs()
			if got := in.Writes(nil, &regs, tt.mode); !slices.Equal(got, tt.want) {
				t.Errorf("%s: got %x, want %x", in.Text(nil), got, tt.want)
			}
		})
	}
}

func TestWritesOfRepeats(t *testing.T) {
	const down = 1 << 10 // the direction flag
	tests := []struct {
		name          string
		code          string
		rcx, rdi, flg uint64
		mode          x86.RepeatMode
		want          []x86.Span
	}{
		{"nothing to do", "f3 a4", 0, 0x1000, 0, x86.WholeRepeat, nil},
		{"nothing to do, one", "f3 a4", 0, 0x1000, 0, x86.OneIteration, nil},
		{"without a prefix rcx means nothing", "a4", 0, 0x1000, 0, x86.WholeRepeat, []x86.Span{{0x1000, 1}}},
		{"down", "f3 48 a5", 4, 0x1000, down, x86.WholeRepeat, []x86.Span{{0x1000 - 24, 32}}},
		{"down, one", "f3 48 a5", 4, 0x1000, down, x86.OneIteration, []x86.Span{{0x1000, 8}}},
		{"ecx with addresses of 32 bits", "67 f3 aa", 1<<40 + 3, 1<<40 + 0x1000, 0, x86.WholeRepeat, []x86.Span{{0x1000, 3}}},
		{"edi goes on at 0", "67 f3 aa", 4, 0xffff_fffe, 0, x86.WholeRepeat, []x86.Span{{0xffff_fffe, 10}, {0, 2}}},
		{"more than there is", "f3 48 ab", 1 << 62, 0x1000, 0, x86.WholeRepeat, []x86.Span{{0x1000, 1<<64 - 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, err := x86.Decode(hexBytes(t, tt.code), 0)
			if err != nil {
				t.Fatal(err)
			}
			r := x86.Regs{Flags: tt.flg}
			r.GPR[x86.RCX], r.GPR[x86.RDI] = tt.rcx, tt.rdi
			if got := in.Writes(nil, &r, tt.mode); !slices.Equal(got, tt.want) {
				t.Errorf("got %x, want %x", got, tt.want)
			}
		})
	}
}

func TestClass(t *testing.T) {
	tests := []struct {
		code string
		want x86.Class
	}{
		{"0f 05", x86.Syscall},
		{"cd 80", x86.Syscall},
		{"0f 34", x86.Syscall},
		{"9c", x86.Store | x86.PushFlags},
		{"9d", x86.PopFlags},
		{"cc", x86.Trap},
		{"0f 0b", x86.Trap},
		{"eb 00", x86.Jump},
		{"74 00", x86.Jump | x86.Cond},
		{"e2 fe", x86.Jump | x86.Cond},
		{"ff e0", x86.Jump | x86.Indirect},
		{"ff 20", x86.Jump | x86.Indirect | x86.Memory},
		{"e8 00 00 00 00", x86.Call | x86.Store},
		{"ff d0", x86.Call | x86.Store | x86.Indirect},
		{"c3", x86.Return | x86.Indirect},
		{"66 e9 00 00 00 00", x86.Jump | x86.Barrier},
		{"f4", x86.Privileged},
		{"0f 30", x86.Privileged},
		{"f3 a4", x86.Store | x86.Repeat},
		{"f3 a6", x86.Repeat},
		{"f3 0f 10 03", x86.FP | x86.Memory},
		{"0f 29 03", x86.Store | x86.Memory},          // a vector store changes no register
		{"66 0f 7e c0", 0},                            // movd eax, xmm0
		{"f2 0f 2c c0", x86.FP},                       // cvttsd2si raises flags in mxcsr
		{"0f 7e 03", x86.FP | x86.Store | x86.Memory}, // any use of MMX marks the x87 stack
		{"66 0f 2e c1", x86.FP},                       // ucomisd
		{"c5 f8 77", x86.FP},                          // vzeroupper
		{"d9 c0", x86.FP},
		{"d9 3b", x86.FP | x86.Store | x86.Memory},
		{"0f ae 13", x86.FP | x86.Memory}, // ldmxcsr
		{"0f 01 ef", x86.FP},              // wrpkru
		{"c4 e2 78 f2 c1", 0},             // andn: VEX, but general registers
		{"c5 fb 92 c0", x86.FP},           // kmovd k0, eax
		{"62 f2 7d 49 a0 04 08", x86.Barrier | x86.Store | x86.Memory | x86.Vector}, // vpscatterdd
		{"66 0f 38 f8 03", x86.Barrier | x86.Memory},                                // movdir64b
		{"c4 e2 7a 4b 04 08", x86.Barrier | x86.Store | x86.Memory},                 // tilestored
	}
	for _, tt := range tests {
		in, err := x86.Decode(hexBytes(t, tt.code), 0)
		if err != nil {
			t.Errorf("%s: %v", tt.code, err)
			continue
		}
		if in.Class != tt.want {
			t.Errorf("%s (%s): got %#x, want %#x", tt.code, in.Text(nil), in.Class, tt.want)
		}
	}
}

func TestBranches(t *testing.T) {
	const pc = 0x400000
	r := testRegs()
	tests := []struct {
		code  string
		addr  uint64
		loads bool
		ok    bool
	}{
		{"eb fe", pc, false, true},
		{"0f 84 00 01 00 00", pc + 6 + 0x100, false, true},
		{"e8 fb ff ff ff", pc, false, true},
		{"ff e3", 0x2000, false, true},
		{"ff 23", 0x2000, true, true},
		{"ff 15 10 00 00 00", pc + 6 + 0x10, true, true},
		{"c3", rsp, true, true},
		{"90", 0, false, false},
	}
	for _, tt := range tests {
		in, err := x86.Decode(hexBytes(t, tt.code), pc)
		if err != nil {
			t.Fatal(err)
		}
		addr, loads, ok := in.BranchTarget(&r)
		if addr != tt.addr || loads != tt.loads || ok != tt.ok {
			t.Errorf("%s: got %x %v %v", in.Text(nil), addr, loads, ok)
		}
		if direct, is := in.Target(); is && direct != tt.addr {
			t.Errorf("%s: target %x", in.Text(nil), direct)
		}
	}
}

func TestUnknown(t *testing.T) {
	tests := []struct {
		name string
		code string
		want error
		len  uint8
	}{
		{"nothing", "", x86.ErrTruncated, 0},
		{"prefixes only", "66 66 66", x86.ErrTruncated, 0},
		{"inside a displacement", "48 89 83 00 00", x86.ErrTruncated, 0},
		{"inside an immediate", "b8 00 00 00", x86.ErrTruncated, 0},
		{"inside VEX", "c5", x86.ErrTruncated, 0},
		{"inside EVEX", "62 f1 7d", x86.ErrTruncated, 0},
		{"not in 64-bit mode", "06", x86.ErrUnknown, 0},
		{"no such opcode", "0f 04 00", x86.ErrUnknown, 0},
		{"VEX after REX", "48 c5 f8 77", x86.ErrUnknown, 0},
		{"VEX unknown, with ModRM", "c5 f8 01 03", x86.ErrUnknown, 4},
		{"EVEX unknown, with displacement", "62 f1 7c 48 01 83 00 00 00 00", x86.ErrUnknown, 10},
		{"XOP with immediate", "8f e8 78 c0 c1 05", x86.ErrUnknown, 6},
		{"too long", "66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", x86.ErrUnknown, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, err := x86.Decode(hexBytes(t, tt.code), 0)
			if !errors.Is(err, tt.want) || in.Len != tt.len || !in.Class.Is(x86.Barrier) {
				t.Errorf("got %v, length %d, class %#x", err, in.Len, in.Class)
			}
		})
	}
}
