package ptrace_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// The statuses follow ptrace(2) and wait(2): an exit code in the second byte; a
// signal in the lowest; a stop has 0x7f there, the signal in the second byte
// and PTRACE_EVENT_… above.
func TestDecode(t *testing.T) {
	tests := []struct {
		name   string
		status uint32
		want   ptrace.Event
	}{
		{"exit 0", 0, ptrace.Event{Kind: ptrace.Exited}},
		{"exit 7", 0x0700, ptrace.Event{Kind: ptrace.Exited, Status: 7}},
		{"exit 255", 0xff00, ptrace.Event{Kind: ptrace.Exited, Status: 255}},
		{"killed", 0x0009, ptrace.Event{Kind: ptrace.Killed, Signal: 9}},
		{"dumped core", 0x008b, ptrace.Event{Kind: ptrace.Killed, Signal: 11}},
		{"signal", 0x0a7f, ptrace.Event{Kind: ptrace.SignalStop, Signal: 10}},
		{"trap", 0x057f, ptrace.Event{Kind: ptrace.SignalStop, Signal: 5}},
		{"stop signal, not yet a group stop", 0x137f, ptrace.Event{Kind: ptrace.SignalStop, Signal: 19}},
		{"group stop", 0x80_137f, ptrace.Event{Kind: ptrace.GroupStop, Signal: 19}},
		{"interrupted", 0x80_057f, ptrace.Event{Kind: ptrace.EventStop}},
		{"system call", 0x857f, ptrace.Event{Kind: ptrace.SyscallStop}},
		{"fork", 0x1_057f, ptrace.Event{Kind: ptrace.Fork}},
		{"vfork", 0x2_057f, ptrace.Event{Kind: ptrace.Vfork}},
		{"clone", 0x3_057f, ptrace.Event{Kind: ptrace.Clone}},
		{"exec", 0x4_057f, ptrace.Event{Kind: ptrace.Exec}},
		{"vfork done", 0x5_057f, ptrace.Event{Kind: ptrace.VforkDone}},
		{"exiting", 0x6_057f, ptrace.Event{Kind: ptrace.Exiting}},
		{"seccomp", 0x7_057f, ptrace.Event{Kind: ptrace.Filtered}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.want.Thread = 12
			if got := ptrace.Decode(12, test.status); got != test.want {
				t.Errorf("Decode(%#x) = %+v, want %+v", test.status, got, test.want)
			}
		})
	}
}

// Decode has a name for each kind, whatever the kernel says.
func FuzzDecode(f *testing.F) {
	f.Add(uint32(0x80_057f))
	f.Fuzz(func(t *testing.T, status uint32) {
		e := ptrace.Decode(1, status)
		if e.Kind == 0 || e.Kind.String() == "" {
			t.Errorf("Decode(%#x) = %+v", status, e)
		}
		if stopped := status&0x7f == 0x7f; stopped == e.Gone() {
			t.Errorf("Decode(%#x): gone %v, stopped %v", status, e.Gone(), stopped)
		}
	})
}

// The fields are in the kernel's order: orig_rax is word 15, rip 16, rsp 19.
func TestRegsWords(t *testing.T) {
	r := ptrace.Regs{OrigRAX: 15, RIP: 16, RSP: 19, GS: 26}
	for _, at := range []int{15, 16, 19, 26} {
		if got := r.Words()[at]; got != uint64(at) {
			t.Errorf("word %d is %d", at, got)
		}
	}
}
