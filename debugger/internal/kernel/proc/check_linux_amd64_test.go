package proc

import (
	"os"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// Each obstacle is reported with its cause and its remedy, the most specific
// first. The values come from proc_pid_status(5), ptrace(2) and capabilities(7).
func TestRefusals(t *testing.T) {
	const capable, powerless = "CapEff:\t0000000000080000\n", "CapEff:\t0000000000000000\n"
	const mine = "Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n"
	tests := []struct {
		name        string
		pid, scope  int
		status      string
		self        string
		flags       string
		mode        os.FileMode
		cause, cure string // "" is permitted
	}{
		{name: "same user", pid: 900, status: mine, self: mine + powerless},
		{name: "other user", pid: 900, status: "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n", self: mine + powerless, cause: "belongs to user 0", cure: "CAP_SYS_PTRACE"},
		{name: "other user, capable", pid: 900, status: "Uid:\t7\t7\t7\t7\nGid:\t7\t7\t7\t7\n", self: mine + capable},
		{name: "setuid by ids", pid: 900, status: "Uid:\t1000\t0\t0\t0\nGid:\t1\t1\t1\t1\n", self: mine + capable, cause: "setuid"},
		{name: "setgid by ids", pid: 900, status: "Uid:\t1\t1\t1\t1\nGid:\t1\t2\t2\t2\n", self: mine + capable, cause: "setuid"},
		{name: "setuid by mode", pid: 900, status: mine, self: mine, mode: os.ModeSetuid, cause: "setuid"},
		{name: "traced", pid: 900, status: mine + "TracerPid:\t1\n", self: mine, cause: "process 1", cure: "detach"},
		{name: "kernel", pid: 900, status: mine, self: mine, flags: "2129984", cause: "kernel"},
		{name: "yama 1", pid: 900, scope: 1, status: mine, self: mine + powerless, cause: "ptrace_scope is 1", cure: "ptrace_scope=0"},
		{name: "yama 1, capable", pid: 900, scope: 1, status: mine, self: mine + capable},
		{name: "yama 2", pid: 900, scope: 2, status: mine, self: mine + powerless, cause: "ptrace_scope is 2", cure: "CAP_SYS_PTRACE"},
		{name: "yama 2, capable", pid: 900, scope: 2, status: mine, self: mine + capable},
		{name: "yama 3", pid: 900, scope: 3, status: mine, self: mine + capable, cause: "ptrace_scope is 3"},
		{name: "first", pid: 1, status: mine, self: mine + capable, cause: "first process"},
		{name: "thread", pid: 901, status: mine, self: mine + capable, cause: "thread of process 900", cure: "attach to process 900"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			flags := test.flags
			if flags == "" {
				flags = "4194304"
			}
			c := &candidate{
				pid: test.pid, scope: test.scope, mode: test.mode,
				status: procfs.ParseStatus(test.status + "Tgid:\t900\n"), self: procfs.ParseStatus(test.self),
				stat: "900 (x) S 1 1 1 0 -1 " + flags + " 0",
			}
			if test.pid == 1 {
				c.status["Tgid"] = "1"
			}
			got := c.refusal()
			if (got == nil) != (test.cause == "") {
				t.Fatalf("refusal %v, want %q", got, test.cause)
			}
			if got != nil && (!strings.Contains(got.Cause, test.cause) || !strings.Contains(got.Cure, test.cure)) {
				t.Errorf("refusal %q, cure %q, want %q, %q", got.Cause, got.Cure, test.cause, test.cure)
			}
		})
	}
}

// The line of a process goes over its parent to the first process, which has
// none.
func TestAncestors(t *testing.T) {
	line := ancestors(os.Getpid())
	if len(line) < 2 || line[0] != os.Getpid() || line[1] != os.Getppid() {
		t.Errorf("the line is %v, want %d, %d and so on", line, os.Getpid(), os.Getppid())
	}
	if line := ancestors(1 << 30); len(line) != 1 {
		t.Errorf("the line of a process that does not exist is %v", line)
	}
}
