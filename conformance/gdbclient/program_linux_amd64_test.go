package gdbclient_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/need"
)

// patience limits the time of everything that should be fast, on a busy machine.
const patience = 2 * time.Minute

// A bench is a folder with the program under test and one to debug.
type bench struct {
	t        *testing.T
	triptych string
	dir      string
	program  string
	source   string
}

// newBench builds the programs.
func newBench(t *testing.T) *bench {
	t.Helper()
	gcc := need.Program(t, "gcc")
	triptych, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(filepath.Join("testdata", "turns.c"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := &bench{t: t, triptych: triptych, dir: dir, program: filepath.Join(dir, "turns"), source: source}
	b.run("", gcc, "-g", "-O0", "-pthread", "-fno-omit-frame-pointer", "-o", b.program, source)
	return b
}

// command is a command that can keep data.
func (b *bench) command(name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	b.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "TRIPTYCH_DATA="+filepath.Join(b.dir, "data"))
	return cmd
}

// run runs a command with an input and returns what it writes.
func (b *bench) run(input, name string, args ...string) string {
	b.t.Helper()
	cmd := b.command(name, args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// line is the number of a marked line.
func (b *bench) line(mark string) int {
	b.t.Helper()
	text, err := os.ReadFile(b.source)
	if err != nil {
		b.t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// line: "+mark) {
			return i + 1
		}
	}
	b.t.Fatalf("no line is marked %q", mark)
	return 0
}

// record returns a recording of the whole program.
func (b *bench) record() (path string) {
	b.t.Helper()
	path = filepath.Join(b.dir, "turns.recording")
	if out := b.run("", b.triptych, "record", "-o", path, "--", b.program); !strings.Contains(out, "123123\n") {
		b.t.Fatalf("the program writes %q", out)
	}
	return path
}

var snapshot = regexp.MustCompile(`(?:position|In the past: snapshot|Restored from snapshot) (\d+)(?: of|\n)`)

// replay returns the positions that triptych replay comes to, by the commands of its shell.
func (b *bench) replay(recording string, commands ...string) (all []uint64) {
	b.t.Helper()
	out := b.run(strings.Join(commands, "\n")+"\n", b.triptych, "replay", recording)
	return positions(b.t, out)
}

// positions returns the positions in a text.
func positions(t *testing.T, text string) (all []uint64) {
	t.Helper()
	for _, m := range snapshot.FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// A process is a running program with an answer for each line that is written to its fifo.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	fifo string
	out  *bufio.Reader
}

// start starts the program and waits until it is ready.
func (b *bench) start() *process {
	b.t.Helper()
	p := &process{t: b.t, fifo: filepath.Join(b.dir, "fifo")}
	if err := syscall.Mkfifo(p.fifo, 0o600); err != nil {
		b.t.Fatal(err)
	}
	in, err := os.OpenFile(p.fifo, os.O_RDWR, 0) // with a writer, it does not end
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	p.cmd = b.command(b.program, "on")
	p.cmd.Stdin = in
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	p.out = bufio.NewReader(out)
	if got := p.answer(); got != "ready" {
		b.t.Fatalf("the program writes %q, want ready", got)
	}
	return p
}

// answer returns the next line that the program writes.
func (p *process) answer() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("the program ends: %v", err)
	}
	return strings.TrimSpace(line)
}

// ask gives the threads a turn each.
func (p *process) ask() string {
	p.t.Helper()
	if err := os.WriteFile(p.fifo, []byte("\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return p.answer()
}

// tracer returns the id of the process that traces the program.
func (p *process) tracer() string {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "TracerPid:\t")
	pid, _, _ := strings.Cut(rest, "\n")
	return pid
}
