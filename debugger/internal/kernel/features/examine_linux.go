package features

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

func (m *Machine) examine() {
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		m.Kernel = ParseRelease(unix.ByteSliceToString(name.Release[:]))
	}
	if text, err := procfs.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil {
		m.TraceScope, _ = strconv.Atoi(strings.TrimSpace(text))
	}
	if self, err := procfs.ReadStatus("/proc/self/status"); err == nil {
		m.MayTrace = self.Bits("CapEff")>>unix.CAP_SYS_PTRACE&1 != 0
	}
	if flags := processorFlags(); flags != nil {
		m.NoXSave = !slices.Contains(flags, "xsave")
		m.ShadowStacks = slices.Contains(flags, "user_shstk")
	}
}

// processorFlags returns the names of the features that the kernel uses, see
// proc_cpuinfo(5).
func processorFlags() []string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, flags, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "flags" {
			return strings.Fields(flags)
		}
	}
	return nil
}
