package proc

import "testing"

// Opcodes from the Intel SDM, volume 2: SYSCALL 0F 05, PUSHF 9C, POPF 9D and IRET
// CF with or without prefixes; what has the same bytes elsewhere is something else.
func TestClassify(t *testing.T) {
	tests := []struct {
		name string
		code []byte
		want codeKind
	}{
		{"syscall", []byte{0x0f, 0x05}, syscallCode},
		{"rex.w syscall", []byte{0x48, 0x0f, 0x05}, syscallCode},
		{"pushfq", []byte{0x9c, 0x90}, pushfCode},
		{"pushfw", []byte{0x66, 0x9c}, pushfCode},
		{"sysret", []byte{0x0f, 0x07}, plainCode},
		{"mov eax, 0x050f", []byte{0xb8, 0x0f, 0x05, 0, 0}, plainCode},
		{"popfq", []byte{0x9d}, popfCode},
		{"popfw", []byte{0x66, 0x9d}, popfCode},
		{"iretq", []byte{0x48, 0xcf}, popfCode},
		{"sahf", []byte{0x9e}, plainCode},
		{"vaddps", []byte{0xc5, 0xfc, 0x58, 0x9c, 0x24}, plainCode},
		{"prefixes alone", []byte{0x66, 0x66, 0x48}, plainCode},
		{"half a syscall", []byte{0x0f}, plainCode},
		{"nothing", nil, plainCode},
	}
	for _, test := range tests {
		if got := classify(test.code); got != test.want {
			t.Errorf("%s: classify(% x) = %d, want %d", test.name, test.code, got, test.want)
		}
	}
}

func TestActions(t *testing.T) {
	table := defaultActions()
	for sig, want := range map[signalNumber]Action{
		23: Pass, 17: Pass, 28: Pass, 14: Pass, 18: Pass, // everyday
		11: StopAndPass, 2: StopAndPass, 10: StopAndPass, 19: StopAndPass, 34: StopAndPass, 64: StopAndPass,
		0: Pass, -1: Pass, 65: Pass, // no signals
	} {
		if got := table.of(sig); got != want {
			t.Errorf("signal %d: action %d, want %d", sig, got, want)
		}
	}
}
