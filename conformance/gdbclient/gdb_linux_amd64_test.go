package gdbclient_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
)

// gdb runs gdb with triptych gdbserver as its target, and returns the output of each
// command.
func (b *bench) gdb(server []string, commands ...string) []string {
	b.t.Helper()
	return b.gdbTo("| "+b.triptych+" gdbserver --stdio "+strings.Join(server, " "), commands...)
}

// gdbTo runs gdb with a target.
func (b *bench) gdbTo(target string, commands ...string) []string {
	b.t.Helper()
	path := need.Program(b.t, "gdb")
	const mark = "@@@"
	args := []string{
		"-nx", "-batch", "-ex", "set width 0", "-ex", "set height 0", "-ex", "set confirm off", "-ex", "set sysroot /",
		"-ex", "set debuginfod enabled off", "-ex", "set remotetimeout 120", "-ex", "target remote " + target,
	}
	for _, c := range commands {
		args = append(args, "-ex", "echo "+mark, "-ex", c)
	}
	out, err := b.command(path, append(args, b.program)...).CombinedOutput()
	parts := strings.Split(string(out), mark)[1:]
	if len(parts) != len(commands) {
		b.t.Fatalf("gdb answers %d commands of %d, %v:\n%s", len(parts), len(commands), err, out)
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// A step is a command of a debugger and what it answers.
type step struct{ command, want string }

// commandsOf returns the commands of steps.
func commandsOf(steps []step) (all []string) {
	for _, s := range steps {
		all = append(all, s.command)
	}
	return all
}

// compare reports answers that are not as wanted.
func compare(t *testing.T, steps []step, got []string) {
	t.Helper()
	for i, s := range steps {
		if !strings.Contains(got[i], s.want) {
			t.Errorf("%d: %s: %q, want %q", i, s.command, got[i], s.want)
		}
	}
}

// repeat returns commands n times.
func repeat(n int, commands ...string) []string { return slices.Repeat(commands, n) }

// In a recording of several threads gdb comes to the same positions as triptych replay: to
// each visit of a function backward and forward, to those of one thread, and to each write
// of a variable backward.
func TestRecordingOfThreads(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	recording := b.record()
	tests := []struct {
		name      string
		gdb, ours []string
		moves     int
	}{
		{
			"visits backward", slices.Concat([]string{"break meet"}, repeat(10, "reverse-continue", "monitor position")),
			slices.Concat([]string{"set_breakpoint meet"}, repeat(10, "reverse_continue")), 10,
		},
		{
			"visits forward", slices.Concat([]string{"reverse-continue", "break meet"}, repeat(9, "continue", "monitor position")),
			slices.Concat([]string{"seek 0", "set_breakpoint meet"}, repeat(9, "continue")), 9,
		},
		{
			"writes backward", slices.Concat([]string{"watch total"}, repeat(10, "reverse-continue", "monitor position")),
			slices.Concat([]string{"set_watchpoint total"}, repeat(10, "reverse_continue")), 10,
		},
		{
			"lines and calls", []string{
				"break meet if who == 2 && round == 1", "reverse-continue", "monitor position", "reverse-stepi", "monitor position",
				"stepi", "monitor position", "next", "monitor position", "delete", "reverse-finish", "monitor position",
			},
			[]string{
				`set_breakpoint function=meet condition="who == 2 && round == 1"`, "reverse_continue", "step_backward", "step_forward", "step_over",
				"clear_breakpoint 1", "step_backward by=out",
			}, 5,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := *b
			b.t = t
			out := b.gdb([]string{"--trace", recording}, tt.gdb...)
			got := positions(t, strings.Join(out, "\n"))
			want := b.replay(recording, tt.ours...)
			if len(want) > tt.moves { // of a breakpoint that was set in the past
				want = want[len(want)-tt.moves:]
			}
			if len(want) != tt.moves || !slices.Equal(got, want) {
				t.Errorf("gdb comes to %d, triptych replay to %d:\n%s", got, want, strings.Join(out, "\n"))
			}
		})
	}
}

var threadLine = regexp.MustCompile(`(?m)^\*? +(\d+) +Thread `)

// gdb sees the threads of a process that it attaches to, goes on to visits of one of them,
// back to the visit before, and leaves a process that runs on.
func TestAttach(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.start()
	if got := p.ask(); got != "123" {
		t.Fatalf("the program writes %q, want 123", got)
	}
	steps := []step{
		{"info threads", "Thread "},
		{"thread apply all -s -q bt", "work (arg="},
		{"break meet thread 3", "Breakpoint 1"},
		{"shell echo >" + p.fifo, ""},
		{"continue", "hit Breakpoint 1, meet (who="},
		{"p $_thread", "= 3"},
		{"p total", "= 123"}, // digits follow, see below
		{"monitor record on", "records"},
		{"shell echo >" + p.fifo, ""},
		{"continue", "hit Breakpoint 1, meet (who="},
		{"p $_thread", "= 3"},
		{"p round", ""},
		{"reverse-stepi", ""},
		{"stepi", ""},
		{"reverse-continue", ""},
		{"p $_thread", "= 3"},
		{"p round", ""},
		{"set var total = 5", "Cannot access memory"},
		{"continue", ""},
		{"p round", ""},
		{"delete", ""},
		{"detach", "detached"},
	}
	out := b.gdb([]string{"--attach", strconv.Itoa(p.cmd.Process.Pid)}, commandsOf(steps)...)
	compare(t, steps, out)
	if n := len(threadLine.FindAllString(out[0], -1)); n != 4 {
		t.Errorf("%d threads, want 4:\n%s", n, out[0])
	}
	if n := strings.Count(out[1], "work (arg="); n != 3 {
		t.Errorf("%d stacks have work, want 3:\n%s", n, out[1])
	}
	second, first, again := value(out[11]), value(out[16]), value(out[19])
	if first != "1" || second != "2" || again != second {
		t.Errorf("visits of rounds %s, then back %s, then forward %s, want 2, 1, 2", second, first, again)
	}
	if a, b := p.answer(), p.answer(); a != "123123" || b != "123123" {
		t.Errorf("the program writes %s and %s", a, b)
	}
	if got := p.ask(); got != "123123" {
		t.Errorf("after gdb has gone, the program writes %q", got)
	}
	if got := p.tracer(); got != "0" {
		t.Errorf("process %s traces the program after gdb has gone", got)
	}
}

// value returns the value in gdb's answer to p.
func value(text string) string {
	_, v, _ := strings.Cut(text, " = ")
	return v
}

// A launched program is recorded, and gdb goes back in it.
func TestLaunch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	steps := []step{
		{"break meet if who == 3", "Breakpoint 1"},
		{"continue", "meet (who=3, round=0)"},
		{"continue", "meet (who=3, round=1)"},
		{"reverse-continue", "meet (who=3, round=0)"},
		{"watch total", "Hardware watchpoint 2"},
		{"reverse-continue", "New value = 1"},
		{"info threads", "meet (who=2, round=0)"},
		{"continue", "New value = 12"},
		{"delete", ""},
		{"continue", "No more reverse-execution history"},
		{"monitor record off", "full speed"},
		{"continue", "exited normally"},
	}
	compare(t, steps, b.gdb([]string{"--record", "--", b.program}, commandsOf(steps)...))
}

// A core file that gdb has written looks the same through the server.
func TestCore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	core := filepath.Join(b.dir, "core")
	b.run("", need.Program(t, "gdb"), "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", fmt.Sprintf("break %d", b.line("print")),
		"-ex", "run", "-ex", "generate-core-file "+core, "-ex", "kill", b.program)
	looks := []string{"thread apply all -s -q bt", "output total", "output turn", "info threads"}
	got := b.gdb([]string{"--core", core}, looks...)
	for i, c := range looks[:3] {
		out := b.run("", need.Program(t, "gdb"), "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "set width 0",
			"-ex", "echo @@@", "-ex", c, b.program, core)
		_, want, _ := strings.Cut(out, "@@@")
		if got, want := threadless(got[i]), threadless(want); got != want {
			t.Errorf("%s: %s, gdb itself: %s", c, got, want)
		}
	}
	if n := len(threadLine.FindAllString(got[3], -1)); n != 4 {
		t.Errorf("%d threads, want 4:\n%s", n, got[3])
	}
}

var threadHead = regexp.MustCompile(`Thread (\d+) \(.*?\):`)

// threadless leaves out how the two targets name threads.
func threadless(text string) string {
	return strings.TrimSpace(threadHead.ReplaceAllString(text, "Thread $1"))
}
