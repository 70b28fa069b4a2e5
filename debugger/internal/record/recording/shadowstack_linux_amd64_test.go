package recording_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
)

// The numbers are from Linux's arch/x86/include/uapi/asm/prctl.h and its table of system
// calls.
func TestAsksForShadowStack(t *testing.T) {
	for _, test := range []struct {
		number, first uint64
		want          bool
	}{
		{158, 0x5001, true},  // arch_prctl(ARCH_SHSTK_ENABLE)
		{453, 0, true},       // map_shadow_stack
		{158, 0x1002, false}, // ARCH_SET_FS
		{158, 0x5005, false}, // ARCH_SHSTK_STATUS
		{unix.SYS_PRCTL, 0x5001, false},
	} {
		if got := recording.AsksForShadowStack(&ptrace.Regs{RAX: test.number, RDI: test.first}); got != test.want {
			t.Errorf("%d(%#x): %v", test.number, test.first, got)
		}
	}
}
