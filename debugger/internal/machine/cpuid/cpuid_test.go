package cpuid_test

import (
	"encoding/binary"
	"runtime"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/cpuid"
)

// What is asked elsewhere has the same answer here.
func TestLeaf(t *testing.T) {
	if got := cpuid.Leaf(7, 0).EBX>>5&1 != 0; got != cpu.X86.HasAVX2 && cpu.X86.HasOSXSAVE {
		t.Errorf("AVX2 %v, want %v", got, cpu.X86.HasAVX2)
	}
	if got := cpuid.Leaf(1, 0).ECX>>23&1 != 0; got != cpu.X86.HasPOPCNT {
		t.Errorf("popcnt %v, want %v", got, cpu.X86.HasPOPCNT)
	}
}

// The maker's name is text in three registers.
func TestName(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("no CPUID here")
	}
	var name []byte
	a := cpuid.Leaf(0, 0)
	for _, r := range []uint32{a.EBX, a.EDX, a.ECX} {
		name = binary.LittleEndian.AppendUint32(name, r)
	}
	for _, c := range name {
		if c < ' ' || c > '~' {
			t.Fatalf("%q is no name", name)
		}
	}
}

func TestNoSuchLeaf(t *testing.T) {
	for _, leaf := range []uint32{0x7fffffff, 0xffffffff} {
		if got := cpuid.Leaf(leaf, 0); got != (cpuid.Answer{}) {
			t.Errorf("leaf %#x: %+v", leaf, got)
		}
	}
}
