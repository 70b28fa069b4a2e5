package gdbclient_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An agent has a session in triptych debug, whose commands come from a fifo.
type agent struct {
	t      *testing.T
	fifo   string
	socket string // at which the session is exposed
	in     *os.File
	out    *bufio.Reader
	wait   func() error
}

// newAgent begins a session at the first call of meet and exposes it.
func (b *bench) newAgent() *agent {
	b.t.Helper()
	a := &agent{t: b.t, fifo: filepath.Join(b.dir, "agent")}
	if err := syscall.Mkfifo(a.fifo, 0o600); err != nil {
		b.t.Fatal(err)
	}
	var err error
	if a.in, err = os.OpenFile(a.fifo, os.O_RDWR, 0); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = a.in.Close() })
	cmd := b.command(b.triptych, "debug", "--", b.program)
	cmd.Stdin = a.in
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	a.out, a.wait = bufio.NewReader(out), cmd.Wait
	a.tell("set_breakpoint meet\ncontinue\nexpose\n")
	for a.socket == "" {
		line, err := a.out.ReadString('\n')
		if err != nil {
			b.t.Fatalf("triptych debug: %v", err)
		}
		if _, rest, found := strings.Cut(line, "target remote "); found {
			a.socket, _, _ = strings.Cut(rest, "'")
		}
	}
	return a
}

// tell writes commands.
func (a *agent) tell(commands string) {
	a.t.Helper()
	if _, err := a.in.WriteString(commands); err != nil {
		a.t.Fatal(err)
	}
}

// quit ends the session and returns what was written since it was exposed.
func (a *agent) quit(commands string) string {
	a.t.Helper()
	a.tell(commands + "quit\n")
	text, err := io.ReadAll(a.out)
	if err != nil {
		a.t.Fatal(err)
	}
	if err := a.wait(); err != nil {
		a.t.Errorf("triptych debug: %v", err)
	}
	return string(text)
}

// check inspects the session after a read-only debugger has left: it shows the position to
// which the agent has moved, with the agent's breakpoint and nothing written.
func (a *agent) check() {
	a.t.Helper()
	text := a.quit("evaluate total\nevaluate who\nlist_breakpoints\n")
	for _, want := range []string{"total: long = 1\n", "who: long = 2\n", "meet"} {
		if !strings.Contains(text, want) {
			a.t.Errorf("the agent does not see %q:\n%s", want, text)
		}
	}
	if _, list, _ := strings.Cut(text, "who: long"); strings.Count(list, "meet") != 1 {
		a.t.Errorf("the agent has other breakpoints:\n%s", list)
	}
}

// gdb follows the session of an agent, each of its moves, and changes nothing.
func TestFollow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := b.newAgent()
	steps := []step{
		{"frame", "meet (who=1, round=0)"},
		{"monitor breakpoints", "meet"},
		{"p total", "= 0"},
		{"set var total = 7", "Cannot access memory"},
		{"set var $rbx = 7", "mirror"},
		{"p total", "= 0"},
		{"break 16", "Breakpoint 1"},
		{"shell echo step_over >" + a.fifo, ""},
		{"continue", "16"},
		{"p total", "= 1"},
		{"call meet(5, 5)", "Cannot access memory"},
		{"shell echo continue >" + a.fifo, ""},
		{"continue", "meet (who=2, round=0)"}, // in another thread, while gdb steps over its breakpoint
		{"info threads", "* 3 "},
		{"up", "work (arg=0x2)"},
		{"kill", ""},
	}
	compare(t, steps, b.gdbTo(a.socket, commandsOf(steps)...))
	a.check()
}

// lldb follows the session of an agent, too.
func TestFollowWithLLDB(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.findLLDB()
	a := b.newAgent()
	steps := []step{
		{"frame select 0", "meet(who=1, round=0)"},
		{"target variable total", "total = 0"},
		{"memory write --size 8 `&total` 7", "error: "},
		{"register write rbx 7", "error: "},
		{"target variable total", "total = 0"},
		{"breakpoint set -l 16", "Breakpoint 1"},
		{`script open("` + a.fifo + `", "w").write("step_over\n")`, ""},
		{"continue", "turns.c:16"},
		{"target variable total", "total = 1"},
		{`script open("` + a.fifo + `", "w").write("continue\n")`, ""},
		{"continue", "meet(who=2, round=0)"},
		{"kill", ""},
	}
	compare(t, steps, b.lldbTo(a.socket, commandsOf(steps)...))
	a.check()
}
