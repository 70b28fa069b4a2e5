package features_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/features"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Machines that are not here lack what they lack.
func TestLacks(t *testing.T) {
	best := features.Machine{System: "linux/amd64", Kernel: features.Release{Major: 6, Minor: 18}, Processor: x86.Intel, MayTrace: true}
	for name, test := range map[string]struct {
		change func(m *features.Machine)
		want   []string
	}{
		"nothing":          {func(*features.Machine) {}, nil},
		"AMD":              {func(m *features.Machine) { m.Processor = x86.AMD }, nil},
		"Linux 6.1":        {func(m *features.Machine) { m.Kernel = features.ParseRelease("6.1.0-18-amd64") }, []string{"PAGEMAP_SCAN of Linux 6.7"}},
		"Linux 4.18":       {func(m *features.Machine) { m.Kernel = features.ParseRelease("4.18.0") }, []string{"PTRACE_GET_SYSCALL_INFO of Linux 5.3", "PAGEMAP_SCAN of Linux 6.7"}},
		"Linux 5.3":        {func(m *features.Machine) { m.Kernel = features.ParseRelease("5.3.1") }, []string{"PAGEMAP_SCAN of Linux 6.7"}},
		"Linux 10.0":       {func(m *features.Machine) { m.Kernel = features.ParseRelease("10.0") }, nil},
		"unknown kernel":   {func(m *features.Machine) { m.Kernel = features.ParseRelease("custom") }, nil},
		"no XSAVE":         {func(m *features.Machine) { m.NoXSave = true }, []string{"XSAVE"}},
		"another maker":    {func(m *features.Machine) { m.Processor = x86.Processor{Maker: "CentaurHauls"} }, []string{"a processor of a known maker"}},
		"shadow stacks":    {func(m *features.Machine) { m.ShadowStacks = true }, []string{"changes of shadow stacks"}},
		"children only":    {func(m *features.Machine) { m.TraceScope, m.MayTrace = 1, false }, []string{"the permission to attach"}},
		"administrators":   {func(m *features.Machine) { m.TraceScope, m.MayTrace = 2, false }, []string{"the permission to trace"}},
		"an administrator": {func(m *features.Machine) { m.TraceScope = 2 }, nil},
		"no tracing":       {func(m *features.Machine) { m.TraceScope = 3 }, []string{"the permission to trace"}},
		"another system":   {func(m *features.Machine) { m.System, m.Processor = "darwin/arm64", x86.Processor{} }, nil},
	} {
		m := best
		test.change(&m)
		var got []string
		for _, lack := range m.Lacks() {
			got = append(got, lack.Feature)
			if lack.Cost == "" {
				t.Errorf("%s: %s costs nothing", name, lack.Feature)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// This machine is examined.
func TestThis(t *testing.T) {
	m := features.This()
	if !strings.HasPrefix(m.System, runtime.GOOS+"/") || runtime.GOOS == "linux" && m.Kernel.Major < 3 {
		t.Errorf("%+v", m)
	}
}
