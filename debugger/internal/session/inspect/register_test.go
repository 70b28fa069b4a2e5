package inspect

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// The System V ABI for AMD64 has the numbers in figure 3.36. The name of a
// number is that of the whole register.
func TestRegisterNames(t *testing.T) {
	for number, want := range map[uint64]string{
		0: "rax", 1: "rdx", 2: "rcx", 3: "rbx", 4: "rsi", 5: "rdi", 6: "rbp", 7: "rsp", 8: "r8", 15: "r15", 16: "rip",
		17: "", 49: "", 58: "fs_base", 1 << 40: "",
	} {
		if got, ok := RegisterName(number); got != want || ok != (want != "") {
			t.Errorf("%d: %q, %t, want %q", number, got, ok, want)
		}
	}
}

// Each name reads its register, and the part of it that it names.
func TestRegistersByName(t *testing.T) {
	regs := ptrace.Regs{
		RAX: 1, RBX: 2, RCX: 3, RDX: 4, RSI: 5, RDI: 6, RBP: 7, RSP: 8, R8: 9, R9: 10, R10: 11, R11: 12, R12: 13, R13: 14, R14: 15, R15: 16,
		RIP: 17, EFlags: 18, CS: 19, SS: 20, DS: 21, ES: 22, FS: 23, GS: 24, FSBase: 25, GSBase: 26,
	}
	want := map[string]struct {
		value uint64
		size  int
	}{
		"rax": {1, 8}, "rbx": {2, 8}, "rcx": {3, 8}, "rdx": {4, 8}, "rsi": {5, 8}, "rdi": {6, 8}, "rbp": {7, 8}, "rsp": {8, 8},
		"r8": {9, 8}, "r9": {10, 8}, "r10": {11, 8}, "r11": {12, 8}, "r12": {13, 8}, "r13": {14, 8}, "r14": {15, 8}, "r15": {16, 8},
		"rip": {17, 8}, "eflags": {18, 4}, "cs": {19, 2}, "ss": {20, 2}, "ds": {21, 2}, "es": {22, 2}, "fs": {23, 2}, "gs": {24, 2},
		"fs_base": {25, 8}, "gs_base": {26, 8}, "eax": {1, 4}, "ebx": {2, 4}, "ecx": {3, 4}, "edx": {4, 4}, "esi": {5, 4}, "edi": {6, 4},
		"pc": {17, 8}, "sp": {8, 8}, "fp": {7, 8},
	}
	if len(Registers) != len(want) {
		t.Errorf("%d registers, want %d", len(Registers), len(want))
	}
	for name, w := range want {
		row := registerByName(name)
		if row == nil {
			t.Errorf("%s is not known", name)
		} else if got := row.Get(&regs); got != w.value || row.size != w.size {
			t.Errorf("%s: %d of %d bytes, want %d of %d", name, got, row.size, w.value, w.size)
		}
	}
	if registerByName("ax") != nil {
		t.Error("ax is known")
	}
}

// The vector registers are at byte 160 of the legacy region (Intel SDM volume 1,
// table 10-2); a state that is cut off has none.
func TestVectors(t *testing.T) {
	state := make([]byte, 512)
	state[160], state[160+15*16] = 1, 15
	if got := vectors(state); got == nil || got[0][0] != 1 || got[15][0] != 15 {
		t.Errorf("%v", got)
	}
	if got := vectors(state[:415]); got != nil {
		t.Errorf("of 415 bytes: %v", got)
	}
}

// With 48 bits of an address the upper 16 repeat bit 47 (Intel SDM volume 1, 3.3.7.1).
func TestCanonical(t *testing.T) {
	for addr, want := range map[uint64]bool{
		0: true, 0x7fff_ffff_ffff: true, 0x8000_0000_0000: false, 0xffff_7fff_ffff_ffff: false, 0xffff_8000_0000_0000: true, 1 << 63: false,
	} {
		if canonical(addr) != want {
			t.Errorf("%#x: %t", addr, !want)
		}
	}
}

// Functions of Go's runtime are its own unless users call them.
func TestOfRuntime(t *testing.T) {
	for name, want := range map[string]bool{
		"runtime.gopark": true, "runtime.GC": false, "runtime.": false, "": true, "internal/poll.(*FD).Read": true, "runtime/internal/atomic.Load": true,
		"runtime/debug.Stack": false, "main.main": false, "internal.f": false,
	} {
		if got := ofRuntime(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}

// Addresses are written as in Go.
func TestParseAddress(t *testing.T) {
	for text, want := range map[string]uint64{"0x10": 16, " 10 ": 10, "0b11": 3, "0xffffffffffffffff": 1<<64 - 1} {
		if got, err := ParseAddress(text); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "main", "-1", "0x1ffffffffffffffff"} {
		if got, err := ParseAddress(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}
