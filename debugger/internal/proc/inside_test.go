package proc

import (
	"bytes"
	"io"
	"maps"
	"testing"
)

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

// The guard knows what is in when the records end, wherever that is.
func TestGuardWatch(t *testing.T) {
	records := bytes.Join([][]byte{
		guardRecord{0x1000, 0x55, 1}.bytes(),
		guardRecord{0xffff_8000_0000_0001, 0x90, 1}.bytes(),
		guardRecord{Address: 0x1000}.bytes(),
		guardRecord{0x1000, 0x48, 1}.bytes(),
		guardRecord{Address: 0x3000}.bytes(),
	}, nil)
	const size = guardRecordSize
	states := []map[uint64]byte{
		{},
		{0x1000: 0x55},
		{0x1000: 0x55, 0xffff_8000_0000_0001: 0x90},
		{0xffff_8000_0000_0001: 0x90},
		{0x1000: 0x48, 0xffff_8000_0000_0001: 0x90},
		{0x1000: 0x48, 0xffff_8000_0000_0001: 0x90},
	}
	for n := range len(records) + 1 {
		got := guardWatch(io.LimitReader(bytes.NewReader(records), int64(n)))
		if want := states[n/size]; !maps.Equal(got, want) {
			t.Errorf("after %d bytes %v is in, want %v", n, got, want)
		}
	}
}

// The name in stat may contain anything: proc_pid_stat(5).
func TestStatField(t *testing.T) {
	const text = "42 (a ) R b) S 1 42 42 0 -1 4194560 rest"
	for number, want := range map[int]string{statState: "S", statParent: "1", statFlags: "4194560"} {
		if got, err := statField(text, number); got != want || err != nil {
			t.Errorf("field %d is %q (%v), want %q", number, got, err, want)
		}
	}
	for _, broken := range []string{"", "42", "42 (x", "42 (x) S"} {
		if got, err := statField(broken, statProcessor); err == nil {
			t.Errorf("field of %q is %q", broken, got)
		}
	}
}

func TestParseStatus(t *testing.T) {
	s := parseStatus("Name:\ta: b\nUid:\t1\t2\t3\t4\nTracerPid:\t7\nCapEff:\t0000000000080000\nbroken")
	if s["Name"] != "a: b" || s.number("TracerPid") != 7 || s.bits("CapEff") != 1<<19 || s.ids("Uid") != [4]string{"1", "2", "3", "4"} {
		t.Errorf("status %v", s)
	}
	if s.number("None") != 0 || s.bits("Name") != 0 || s.ids("None") != [4]string{} {
		t.Error("fields that are not there are not zero")
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
