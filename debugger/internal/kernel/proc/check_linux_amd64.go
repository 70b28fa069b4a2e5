package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"golang.org/x/sys/unix"
)

// A candidate is a process to attach to, with the facts that decide whether that
// is permitted.
type candidate struct {
	pid     int
	status  procfs.Status // /proc/PID/status
	stat    string
	self    procfs.Status // /proc/self/status
	scope   int           // kernel.yama.ptrace_scope, 0 without Yama
	mode    os.FileMode
	is32Bit bool  // it runs a 32-bit program
	line    []int // this program and its ancestors
}

// checkAttach returns an error that explains why attaching would fail with EPERM
// or do harm, or nil.
func checkAttach(pid int) error {
	c, err := newCandidate(pid)
	if err != nil {
		return err
	}
	if refused := c.refusal(); refused != nil {
		return refused
	}
	return nil
}

// refusal returns the first reason not to attach, or nil.
func (c *candidate) refusal() *PermissionError {
	for _, refuse := range refusals {
		if refuse.when(c) {
			return &PermissionError{PID: c.pid, Cause: expand(refuse.cause, c), Cure: expand(refuse.cure, c)}
		}
	}
	return nil
}

// newCandidate collects the facts about a process.
func newCandidate(pid int) (*candidate, error) {
	if pid <= 0 {
		return nil, ErrNotFound
	}
	c := &candidate{pid: pid}
	var err error
	if c.status, err = procfs.ReadStatus(fmt.Sprintf("/proc/%d/status", pid)); err != nil {
		return nil, notFound(err)
	}
	if c.stat, err = procfs.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil {
		return nil, notFound(err)
	}
	if state := c.status["State"]; strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X") {
		return nil, fmt.Errorf("process %d has ended and waits for its parent: %w", pid, ErrNotFound)
	}
	if c.self, err = procfs.ReadStatus("/proc/self/status"); err != nil {
		return nil, err
	}
	if text, err := procfs.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil {
		c.scope, _ = strconv.Atoi(strings.TrimSpace(text))
	}
	if info, err := os.Stat(fmt.Sprintf("/proc/%d/exe", pid)); err == nil {
		c.mode = info.Mode()
	}
	c.is32Bit = is32Bit(pid)
	c.line = ancestors(os.Getpid())
	return c, nil
}

// notFound turns the absence of a file in /proc into ErrNotFound.
func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return ErrNotFound
	}
	return err
}

// ancestors returns a process and its ancestors.
func ancestors(pid int) []int {
	var line []int
	for pid > 0 {
		line = append(line, pid)
		pid, _ = strconv.Atoi(procfs.ThreadStat(pid, pid, procfs.StatParent)) // 0 when it has ended
	}
	return line
}

// A refusal is a reason not to attach. In its texts, %tracer, %leader and %user
// are replaced by facts of the candidate.
type refusal struct {
	when        func(*candidate) bool
	cause, cure string
}

// refusals are the reasons, in the order in which they are checked.
var refusals = []refusal{
	{func(c *candidate) bool { return c.pid == 1 }, "it is the first process of the system", ""},
	{func(c *candidate) bool { return c.pid == os.Getpid() }, "it is the debugger itself", ""},
	{(*candidate).isAncestor, "the debugger runs under it, and both would stand still", ""},
	{(*candidate).isKernel, "it is a thread of the kernel", ""},
	{(*candidate).isThread, "it is a thread of process %leader", "attach to process %leader"},
	{(*candidate).runs32BitProgram, cause32Bit, cure32Bit},
	{(*candidate).isTraced, "process %tracer traces it already", "end that debugger, or let it detach"},
	{(*candidate).hasForeignRights, "it runs with other rights than those of its user (setuid)", ""},
	{(*candidate).isForeign, "it belongs to user %user", "run the debugger as that user, or with the capability CAP_SYS_PTRACE"},
	{(*candidate).yamaForbids, "the system forbids it: kernel.yama.ptrace_scope is 3", "the setting lasts until the system starts again without it"},
	{(*candidate).yamaWantsCapability, "the system permits it to administrators only: kernel.yama.ptrace_scope is 2", "run the debugger with the capability CAP_SYS_PTRACE"},
	{(*candidate).yamaWantsParent, "the system permits tracing of own children only: kernel.yama.ptrace_scope is 1", "launch the program from the debugger, run the debugger with the capability CAP_SYS_PTRACE, or set it with sysctl kernel.yama.ptrace_scope=0"},
}

// expand replaces the placeholders of a text.
func expand(text string, c *candidate) string {
	return strings.NewReplacer(
		"%tracer", describe(c.status.Number("TracerPid")),
		"%leader", strconv.Itoa(c.status.Number("Tgid")),
		"%user", c.status.IDs("Uid")[0],
	).Replace(text)
}

// describe returns id and name of the process of a thread. TracerPid may be the
// id of a thread that is not the group leader.
func describe(thread int) string {
	pid := thread
	if s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/status", thread)); err == nil && s.Number("Tgid") > 0 {
		pid = s.Number("Tgid")
	}
	if name := procfs.ThreadName(pid, pid); name != "" {
		return fmt.Sprintf("%d (%s)", pid, name)
	}
	return strconv.Itoa(pid)
}

func (c *candidate) isAncestor() bool {
	return slices.Contains(c.line, c.pid)
}

// isKernel reports whether the flag PF_KTHREAD is set.
func (c *candidate) isKernel() bool {
	const kernelThread = 0x00200000
	field, err := procfs.StatField(c.stat, procfs.StatFlags)
	flags, _ := strconv.ParseUint(field, 10, 64)
	return err == nil && flags&kernelThread != 0
}

func (c *candidate) isThread() bool { return c.status.Number("Tgid") != c.pid }

func (c *candidate) runs32BitProgram() bool { return c.is32Bit }

func (c *candidate) isTraced() bool { return c.status.Number("TracerPid") != 0 }

// hasForeignRights reports whether the real, effective and saved ids differ or the
// program is setuid or setgid.
func (c *candidate) hasForeignRights() bool {
	for _, field := range []string{"Uid", "Gid"} {
		ids := c.status.IDs(field)
		if ids[0] != ids[1] || ids[0] != ids[2] {
			return true
		}
	}
	return c.mode&(os.ModeSetuid|os.ModeSetgid) != 0
}

// capable reports whether this program has CAP_SYS_PTRACE.
func (c *candidate) capable() bool {
	const sysPtrace = 19
	return c.self.Bits("CapEff")>>sysPtrace&1 != 0
}

func (c *candidate) isForeign() bool {
	return !c.capable() && c.status.IDs("Uid")[0] != c.self.IDs("Uid")[1]
}

func (c *candidate) yamaForbids() bool { return c.scope >= 3 }

func (c *candidate) yamaWantsCapability() bool { return c.scope == 2 && !c.capable() }

func (c *candidate) yamaWantsParent() bool {
	if c.scope != 1 || c.capable() {
		return false
	}
	for _, pid := range ancestors(c.pid) {
		if pid == os.Getpid() {
			return false
		}
	}
	return true
}
