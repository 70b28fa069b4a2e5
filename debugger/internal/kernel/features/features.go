// Package features tells which features that the debugger uses are missing on a
// machine, and what that costs.
//
//	for _, lack := range features.This().Lacks() {
//		fmt.Println(lack.Feature, lack.Cost)
//	}
package features

import (
	"fmt"
	"runtime"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Machine holds the facts about a machine that the debugger depends on.
type Machine struct {
	System       string // operating system and architecture, as "linux/amd64"
	Kernel       Release
	Processor    x86.Processor
	NoXSave      bool // the processor or the kernel does not use XSAVE
	ShadowStacks bool // programs can have shadow stacks
	TraceScope   int  // kernel.yama.ptrace_scope, 0 without Yama
	MayTrace     bool // this program has the capability CAP_SYS_PTRACE
}

// This returns the machine that this program runs on.
func This() Machine {
	m := Machine{System: runtime.GOOS + "/" + runtime.GOARCH, Processor: x86.Machine()}
	m.examine()
	return m
}

// A Release is the version of a kernel.
type Release struct{ Major, Minor int }

// ParseRelease reads the first two numbers of a release as uname(2) shows it. It returns zero
// for other texts.
func ParseRelease(text string) Release {
	var r Release
	if n, err := fmt.Sscanf(text, "%d.%d", &r.Major, &r.Minor); n != 2 || err != nil {
		return Release{}
	}
	return r
}

// before reports whether a release is known and older than another one.
func (r Release) before(major, minor int) bool {
	return r != Release{} && (r.Major < major || r.Major == major && r.Minor < minor)
}

// A Lack is a feature that the debugger misses.
type Lack struct {
	Feature string
	Cost    string // what cannot be done without it, or how it is done
}

// tracing is the system on which programs can be traced.
const tracing = "linux/amd64"

// features are the features, with the machines that lack them.
var features = []struct {
	Lack
	missing func(m *Machine) bool
}{
	{
		Lack{"the permission to attach", "kernel.yama.ptrace_scope lets a process trace its children only: launch programs with the debugger, give it the capability CAP_SYS_PTRACE, or run sysctl kernel.yama.ptrace_scope=0"},
		func(m *Machine) bool { return m.TraceScope == 1 && !m.MayTrace },
	},
	{
		Lack{"the permission to trace", "kernel.yama.ptrace_scope forbids it: no program can be launched or attached to"},
		func(m *Machine) bool { return m.TraceScope == 2 && !m.MayTrace || m.TraceScope > 2 },
	},
	{
		Lack{"PTRACE_GET_SYSCALL_INFO of Linux 5.3", "debugger/catch takes from registers whether a program is before or after a system call"},
		func(m *Machine) bool { return m.Kernel.before(5, 3) },
	},
	{
		Lack{"PAGEMAP_SCAN of Linux 6.7", "a stop after a run that is not recorded compares all writable memory, not the pages that were written"},
		func(m *Machine) bool { return m.Kernel.before(6, 7) },
	},
	{
		Lack{"XSAVE", "the registers of x87 and SSE are shown, and no others"},
		func(m *Machine) bool { return m.NoXSave },
	},
	{
		Lack{"a processor of a known maker", "repeated scas, repeated cmps and f3 90 with r8 are single-stepped, because makers differ in them"},
		func(m *Machine) bool { return !m.Processor.Known },
	},
	{
		Lack{"changes of shadow stacks", "programs that have one are single-stepped: their functions cannot be called, and they cannot go on from the past; programs recorded from the beginning are told that there is none"},
		func(m *Machine) bool { return m.ShadowStacks },
	},
}

// Lacks returns what the debugger misses on a machine where it can trace programs, and nothing
// for others.
func (m Machine) Lacks() []Lack {
	var list []Lack
	for _, f := range features {
		if m.System == tracing && f.missing(&m) {
			list = append(list, f.Lack)
		}
	}
	return list
}
