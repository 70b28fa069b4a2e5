package gdbclient_test

import (
	"bufio"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
)

// lldbs lists names of lldb. Versions that go back come first.
var lldbs = []string{"lldb-22", "lldb-21", "lldb"}

var lldbVersion = regexp.MustCompile(`lldb version (\d+)\.`)

// findLLDB returns the path of an lldb that goes back.
func (b *bench) findLLDB() string {
	b.t.Helper()
	for _, name := range lldbs {
		if path, err := exec.LookPath(name); err == nil {
			m := lldbVersion.FindStringSubmatch(b.run("", path, "--version"))
			if m != nil && len(m[1]) == 2 && m[1] >= "21" {
				return path
			}
		}
	}
	return need.Program(b.t, lldbs[0])
}

// lldb runs lldb with triptych gdbserver as its target, and returns the output of each
// command.
func (b *bench) lldb(server []string, commands ...string) []string {
	b.t.Helper()
	b.findLLDB()
	cmd := b.command(b.triptych, append([]string{"gdbserver"}, server...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, rest, found := strings.Cut(line, "target remote ")
	if !found {
		b.t.Fatalf("triptych gdbserver writes %q: %v", line, err)
	}
	parts := b.lldbTo(strings.TrimSuffix(strings.TrimSpace(rest), "'"), commands...)
	if err := cmd.Wait(); err != nil {
		b.t.Errorf("triptych gdbserver: %v", err)
	}
	return parts
}

// lldbTo runs lldb with the server at a socket.
func (b *bench) lldbTo(socket string, commands ...string) []string {
	b.t.Helper()
	file := filepath.Join(b.dir, "commands")
	if err := os.WriteFile(file, []byte(strings.Join(commands, "\n")+"\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	args := []string{
		"--no-lldbinit", "-O", "settings set auto-confirm true", "-o", "target create " + b.program,
		"-o", "process connect --plugin gdb-remote unix-connect://" + socket,
		"-o", "command source --stop-on-error false --stop-on-continue false " + file,
	}
	text := b.run("", b.findLLDB(), append(args, "-o", "quit")...)
	all := text
	var parts []string
	for _, c := range commands { // lldb echoes them
		_, rest, found := strings.Cut(text, "(lldb) "+c+"\n")
		if !found {
			b.t.Fatalf("lldb does not get to %q:\n%s", c, all)
		}
		part, _, _ := strings.Cut(rest, "\n(lldb) ")
		parts, text = append(parts, part), rest
	}
	return parts
}

// position asks the server for the position.
const position = "process plugin packet monitor position"

var monitorAnswer = regexp.MustCompile(`response: ([0-9a-f]+)`)

// lldbPositions returns the positions in answers to position.
func lldbPositions(t *testing.T, out []string) []uint64 {
	t.Helper()
	var text strings.Builder
	for _, m := range monitorAnswer.FindAllStringSubmatch(strings.Join(out, "\n"), -1) {
		answer, err := hex.DecodeString(m[1])
		if err != nil {
			t.Fatal(err)
		}
		text.Write(answer)
	}
	return positions(t, text.String())
}

// lldb launches a program: breakpoints, steps, stacks, threads, registers, memory, and back.
func TestLLDB(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	steps := []step{
		{"breakpoint set -n meet -c who==3", "Breakpoint 1"}, // lldb calls mmap in the process for the condition
		{"continue", "meet(who=3, round=0)"},
		{"continue", "meet(who=3, round=1)"},
		{"bt", "frame #1: "},
		{"frame variable", "(long) round = 1"},
		{"frame select 1", "work(arg=0x0000000000000003)"},
		{"frame select 0", "meet(who=3, round=1)"},
		{"thread list", "thread #4"},
		{"register read rip", "turns`meet"},
		{"register read ymm0", "ymm0 = {"},
		{"register read mxcsr", "mxcsr = 0x"},
		{"memory read --size 8 --format d --count 1 &total", ": 12312"},
		{"p total", "(long) 12312"},
		{"thread step-inst", "instruction step into"},
		{"thread step-over", "step over"},
		{"p total", "(long) 123123"},
		{"breakpoint modify -c '' 1", ""}, // in the past lldb cannot evaluate it: it would write memory
		{"process continue --reverse", "meet(who=3, round=1)"},
		{"process continue --reverse", "meet(who=2, round=1)"},
		{"process continue --reverse", "meet(who=1, round=1)"},
		{"process continue --reverse", "meet(who=3, round=0)"},
		{"p total", "(long) 12"},
		{"expression total = 5", "error: "}, // of the past
		{"register write rbx 5", "error: "},
		{"p total", "(long) 12"},
		{"watchpoint set variable total", "Watchpoint 1"},
		{"process continue --reverse", "new value: 1\n"},
		{"process continue --forward", "new value: 12\n"},
		{"watchpoint delete 1", "1 watchpoints deleted"},
		{"process continue --forward", "meet(who=3, round=0)"},
		{"memory region $rip", "r-x"},
		{"image list -b", "libc.so.6"},
		{"disassemble -c 2", "pushq"},
		{"kill", "exited"},
	}
	compare(t, steps, b.lldb([]string{"--record", "--", b.program}, commandsOf(steps)...))
}

// lldb attaches to a process with threads, and leaves it running.
func TestAttachWithLLDB(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.start()
	out := b.lldb([]string{"--attach", strconv.Itoa(p.cmd.Process.Pid)}, "thread backtrace all", "breakpoint set -n meet", "detach")
	if n := strings.Count(out[0], "`work(arg="); n != 3 {
		t.Errorf("%d stacks have work, want 3:\n%s", n, out[0])
	}
	if got := p.ask(); got != "123" || p.tracer() != "0" {
		t.Errorf("after lldb has gone, the program writes %q, and %s traces it", got, p.tracer())
	}
}

// In a recording lldb comes to the same positions as triptych replay, both ways.
func TestRecordingInLLDB(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	recording := b.record()
	const back, forward = "process continue --reverse", "process continue --forward"
	commands := slices.Concat(
		[]string{"breakpoint set -n meet"}, repeat(9, back, position), []string{"breakpoint delete 1"},
		repeat(1, forward), []string{"watchpoint set variable total"}, repeat(9, back, position),
		[]string{"watchpoint delete 1", "breakpoint set -n meet -c who==2", forward, "p who*100+round", forward, "p who*100+round", "thread list"},
	)
	out := b.lldb([]string{"--trace", recording}, commands...)
	ours := b.replay(recording, slices.Concat(
		[]string{"set_breakpoint meet"}, repeat(9, "reverse_continue"), []string{"clear_breakpoint 1", "continue", "set_watchpoint total"},
		repeat(9, "reverse_continue"))...)
	last := out[len(out)-4:] // in a recording lldb evaluates conditions by itself
	for i, want := range []string{"200", "", "201", "thread #4"} {
		if !strings.Contains(last[i], want) {
			t.Errorf("forward: %s, want %s", last[i], want)
		}
	}
	want := slices.Concat(ours[:9], ours[len(ours)-9:])
	if got := lldbPositions(t, out); len(ours) < 18 || !slices.Equal(got, want) {
		t.Errorf("lldb comes to %d, triptych replay to %d:\n%s", got, want, strings.Join(out, "\n"))
	}
}
