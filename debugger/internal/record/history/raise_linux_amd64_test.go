package history_test

import (
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A signal that a thread sends itself comes before the call returns that sends
// it (POSIX, kill): the thread stands behind the instruction syscall then.
func TestOwnSignal(t *testing.T) {
	for name, options := range map[string]history.Options{"interpreted": {}, "single": {Single: true}} {
		t.Run(name, func(t *testing.T) {
			s := start(t, build(t, "-O1"), "signals")
			r := s.recorder(options)
			for _, want := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2} {
				result, err := r.Run(t.Context(), 0, history.Limits{Steps: 100_000})
				if err != nil || result.Why != history.GotSignal || result.Signal != want {
					t.Fatalf("%+v, %v, want signal %v", result, err, want)
				}
				var code [2]byte
				pc := r.History().View().PC()
				if _, err := r.History().View().ReadMemory(pc-2, code[:]); err != nil || code != [2]byte{0x0f, 0x05} {
					t.Errorf("%v came at %#x, behind %x, want 0f05, syscall (%v)", want, pc, code, err)
				}
			}
		})
	}
}
