package x86_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

func TestUses(t *testing.T) {
	for _, tt := range []struct {
		text string
		code []byte
		want x86.MemoryUse // none if it is zero
	}{
		{"mov eax, [rbx]", []byte{0x8b, 0x03}, x86.MemoryUse{Size: 4}},
		{"mov [rbx], rax", []byte{0x48, 0x89, 0x03}, x86.MemoryUse{Size: 8, Write: true}},
		{"cmp byte [rbx], 0", []byte{0x80, 0x3b, 0}, x86.MemoryUse{Size: 1}},
		{"inc dword [rbx]", []byte{0xff, 0x03}, x86.MemoryUse{Size: 4, Write: true}},
		{"lock inc dword [rbx]", []byte{0xf0, 0xff, 0x03}, x86.MemoryUse{Size: 4, Write: true, Atomic: true}},
		{"xchg [rbx], eax", []byte{0x87, 0x03}, x86.MemoryUse{Size: 4, Write: true, Atomic: true}},
		{"lock cmpxchg [rbx], ecx", []byte{0xf0, 0x0f, 0xb1, 0x0b}, x86.MemoryUse{Size: 4, Write: true, Atomic: true}},
		{"movups [rbx], xmm0", []byte{0x0f, 0x11, 0x03}, x86.MemoryUse{Size: 16, Write: true}},
		{"push qword [rbx]", []byte{0xff, 0x33}, x86.MemoryUse{Size: 8}},
		{"rep movsb", []byte{0xf3, 0xa4}, x86.MemoryUse{Size: 1, Write: true, Source: true, Destination: true, Repeat: true}},
		{"stosq", []byte{0x48, 0xab}, x86.MemoryUse{Size: 8, Write: true, Destination: true}},
		{"repne scasb", []byte{0xf2, 0xae}, x86.MemoryUse{Size: 1, Destination: true, Repeat: true}},
		{"lea rax, [rbx]", []byte{0x48, 0x8d, 0x03}, x86.MemoryUse{}},
		{"prefetcht0 [rbx]", []byte{0x0f, 0x18, 0x0b}, x86.MemoryUse{}},
		{"nop dword [rax]", []byte{0x0f, 0x1f, 0x00}, x86.MemoryUse{}},
		{"mov rax, fs:[0]", []byte{0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}, x86.MemoryUse{}},
		{"push rax", []byte{0x50}, x86.MemoryUse{}},
		{"pop qword [rsp]", []byte{0x8f, 0x04, 0x24}, x86.MemoryUse{}},
		{"ret", []byte{0xc3}, x86.MemoryUse{}},
		{"jmp [rax]", []byte{0xff, 0x20}, x86.MemoryUse{}},
		{"bts [rbx], eax", []byte{0x0f, 0xab, 0x03}, x86.MemoryUse{}},
		{"mov eax, ecx", []byte{0x89, 0xc8}, x86.MemoryUse{}},
	} {
		in, err := x86.Decode(tt.code, 0x1000)
		if err != nil {
			t.Fatalf("%s: %v", tt.text, err)
		}
		if got, ok := in.Uses(); got != tt.want || ok != (tt.want != x86.MemoryUse{}) {
			t.Errorf("%s: %+v, %t; want %+v", tt.text, got, ok, tt.want)
		}
	}
}
