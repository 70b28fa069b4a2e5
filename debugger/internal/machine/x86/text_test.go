package x86_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// hexBytes turns "48 8b 43 08" into bytes.
func hexBytes(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestText(t *testing.T) {
	symbols := func(addr uint64) (string, uint64, bool) {
		switch {
		case addr == 0x401136:
			return "main", 0, true
		case addr >= 0x404040 && addr < 0x404060:
			return "stdout", addr - 0x404040, true
		}
		return "", 0, false
	}
	tests := []struct {
		code string
		pc   uint64
		want string
	}{
		{"48 8b 43 08", 0, "mov rax, [rbx+8]"},
		{"83 45 ec 01", 0, "add dword ptr [rbp-0x14], 1"},
		{"48 83 ec 80", 0, "sub rsp, -0x80"},
		{"b8 ff ff ff ff", 0, "mov eax, 0xffffffff"},
		{"48 c7 c0 ff ff ff ff", 0, "mov rax, -1"},
		{"e8 31 01 00 00", 0x401000, "call 0x401136 <main>"},
		{"e8 30 01 00 00", 0x401000, "call 0x401135"},
		{"48 8b 05 39 30 00 00", 0x401000, "mov rax, [rip+0x3039] # 0x404040 <stdout>"},
		{"48 8d 05 41 30 00 00", 0x401000, "lea rax, [rip+0x3041] # 0x404048 <stdout+8>"},
		{"0f b6 07", 0, "movzx eax, byte ptr [rdi]"},
		{"64 48 8b 04 25 28 00 00 00", 0, "mov rax, fs:[0x28]"},
		{"f3 48 ab", 0, "rep stosq"},
		{"f2 ae", 0, "repne scasb"},
		{"f3 a6", 0, "repe cmpsb"},
		{"f0 48 0f b1 0a", 0, "lock cmpxchg [rdx], rcx"},
		{"f3 0f 1e fa", 0, "endbr64"},
		{"66 0f 1f 44 00 00", 0, "nop word ptr [rax+rax]"},
		{"48 98", 0, "cdqe"},
		{"66 0f ef c0", 0, "pxor xmm0, xmm0"},
		{"f2 0f 2a 07", 0, "cvtsi2sd xmm0, dword ptr [rdi]"},
		{"f2 0f c2 c1 01", 0, "cmpltsd xmm0, xmm1"},
		{"dd 1c 24", 0, "fstp qword ptr [rsp]"},
		{"de c1", 0, "faddp st(1), st"},
		{"c4 e2 f0 f2 c3", 0, "andn rax, rcx, rbx"},
		{"c4 e2 f1 b8 c2", 0, "vfmadd231pd xmm0, xmm1, xmm2"},
		{"c5 fe 6f 06", 0, "vmovdqu ymm0, [rsi]"},
		{"c4 e3 7d 39 c1 01", 0, "vextracti128 xmm1, ymm0, 1"},
		{"62 f2 7d 48 7a c6", 0, "vpbroadcastb zmm0, esi"},
		{"62 f3 7d 40 3f 07 00", 0, "vpcmpeqb k0, zmm16, [rdi]"},
		{"62 f1 7c d9 58 c1", 0, "vaddps zmm0{k1}{z}, zmm0, zmm1{ru-sae}"},
		{"62 f1 7c 58 58 00", 0, "vaddps zmm0, zmm0, dword ptr [rax]{1to16}"},
		{"c4 e2 69 90 04 88", 0, "vpgatherdd xmm0, [rax+xmm1*4], xmm2"},
		{"0f 04", 0, "(unknown: 0f)"},
		{"", 0, "(unknown: )"},
	}
	for _, tt := range tests {
		if got := x86.Text(hexBytes(t, tt.code), tt.pc, symbols); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.code, got, tt.want)
		}
	}
}
