package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// The other sides of whole recordings.
const (
	emulator    = "qemu-x86_64"
	interpreted = "recorded step by step"
	recording   = "recording it"
	pinned      = "alone, on one processor"
)

// A wholeProgram is a program that is recorded from its beginning to its end.
type wholeProgram struct {
	name  string
	needs string // a program, or "" if it is built here
	// argv returns its command line, with a size of so many percent.
	argv func(b *bench, percent int) []string
	// input returns the path of its standard input, or is nil.
	input func(b *bench) string
}

// wholePrograms are the programs in the order of the page. redis-server is another one, see
// serve.
var wholePrograms = []wholeProgram{
	{name: "integers", argv: func(b *bench, percent int) []string {
		return []string{b.program("integers"), strconv.Itoa(3_000_000 * percent)}
	}},
	{name: "sort", needs: "sort", argv: func(b *bench, _ int) []string {
		return []string{"sort", "-o", os.DevNull, b.program("lines.txt")}
	}},
	{name: "gzip", needs: "gzip", argv: func(b *bench, _ int) []string {
		return []string{"gzip", "-c", b.program("lines.txt")}
	}},
	{
		name: "sqlite3", needs: "sqlite3", argv: func(*bench, int) []string { return []string{"sqlite3", ":memory:"} },
		input: func(b *bench) string { return b.program("inserts.sql") },
	},
	{name: "python3", needs: "python3", argv: func(b *bench, percent int) []string {
		return []string{b.python, b.program("compute.py"), strconv.Itoa(120_000 * percent)}
	}},
	{name: "cc1", needs: "gcc", argv: func(b *bench, _ int) []string {
		return []string{b.cc1, "-quiet", "-O1", "-o", os.DevNull, b.program("functions.c")}
	}},
	{name: "goroutines", argv: func(b *bench, percent int) []string {
		return []string{b.program("goroutines"), strconv.Itoa(20 * percent)}
	}},
}

// recordWhole measures whole recordings.
func (b *bench) recordWhole(ctx context.Context, turn int) error {
	if turn == 0 {
		if err := b.prepareWhole(ctx); err != nil {
			return err
		}
	}
	var ratios []float64
	for i := range wholePrograms {
		s := &wholePrograms[i]
		if _, err := exec.LookPath(s.needs); s.needs != "" && err != nil {
			b.note(fmt.Sprintf("There is no program %s here, so it was not recorded.", s.needs))
			continue
		}
		if !b.pace.recorded(s.name) {
			continue
		}
		ratio, err := b.recordSubject(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		ratios = append(ratios, ratio)
	}
	if ratio, err := b.recordServer(ctx); err != nil {
		return fmt.Errorf("redis-server: %w", err)
	} else if ratio > 0 {
		ratios = append(ratios, ratio)
	}
	b.readings.take("whole median", ours, figures.Median(ratios))
	b.readings.take("whole worst", ours, slices.Max(ratios))
	return errors.Join(b.startSmall(ctx), b.handOver(ctx))
}

// recorded reports whether a program is among those that are recorded at this pace.
func (p *pace) recorded(name string) bool {
	return p.programs == "" || strings.Contains(p.programs, name)
}

// recordSubject runs a program alone, recorded and emulated, and returns the ratio of the
// processor time recorded to that alone.
func (b *bench) recordSubject(ctx context.Context, s *wholeProgram) (float64, error) {
	argv := s.argv(b, b.pace.percent)
	input := ""
	if s.input != nil {
		input = s.input(b)
	}
	native, _, err := b.timed(ctx, input, argv...)
	if err != nil {
		return 0, err
	}
	taken, said, err := b.timed(ctx, input, b.recordOf(s.name, argv)...)
	if err != nil {
		return 0, err
	}
	b.takeWhole(s.name, native, taken, said)
	if _, err := exec.LookPath(emulator); err != nil {
		b.note("There is no program " + emulator + " here (Debian's package qemu-user).")
		return taken / native, nil
	}
	if argv[0], err = exec.LookPath(argv[0]); err != nil {
		return 0, err
	}
	emulated, _, err := b.timed(ctx, input, append([]string{emulator}, argv...)...)
	if err != nil {
		b.note(fmt.Sprintf("%s cannot run %s: %.100v", emulator, s.name, err))
		return taken / native, nil
	}
	b.readings.take("whole "+s.name, emulator, emulated)
	return taken / native, nil
}

// recordOf returns the command that records a program.
func (b *bench) recordOf(name string, argv []string) []string {
	return append([]string{b.program("triptych"), "record", "-o", b.whole(name), "--"}, argv...)
}

// whole is the path of the recording of a program.
func (b *bench) whole(name string) string { return b.program(name + ".recording") }

var recordedText = regexp.MustCompile(`recorded (\d+) instructions`)

// takeWhole keeps the readings of a recorded program, of which triptych record has said
// the number of instructions.
func (b *bench) takeWhole(name string, native, taken float64, said string) {
	b.readings.take("whole "+name, alone, native)
	b.readings.take("whole "+name, ours, taken)
	match := recordedText.FindStringSubmatch(said)
	if match == nil || strings.Contains(said, "ends before") {
		b.note(fmt.Sprintf("The recording of %s was not complete: %.200s", name, said))
		return
	}
	n, _ := strconv.ParseFloat(match[1], 64) // digits
	if info, err := os.Stat(b.whole(name)); err == nil {
		b.readings.take("whole bytes "+name, ours, float64(info.Size())/n)
	}
	b.readings.take("whole instruction "+name, ours, taken/n)
	if list := b.readings["record"][ours]; len(list) > 0 {
		b.readings.take("whole instruction "+name, interpreted, list[len(list)-1])
	}
}

// timed runs a program and returns the processor time that it, its tracer and its
// children have used, in seconds, and its standard error.
func (b *bench) timed(ctx context.Context, input string, argv ...string) (seconds float64, said string, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var text strings.Builder
	cmd.Stderr = &text
	if input != "" {
		file, err := os.Open(input)
		if err != nil {
			return 0, "", err
		}
		defer func() { _ = file.Close() }()
		cmd.Stdin = file
	}
	if err := cmd.Run(); err != nil {
		return 0, "", fmt.Errorf("%s: %w: %.500s", strings.Join(argv, " "), err, text.String())
	}
	return used(cmd), text.String(), nil
}

// used returns the processor time of a program that has ended.
func used(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// startSmall measures how long a program of a tenth of a second takes recorded.
func (b *bench) startSmall(ctx context.Context) error {
	argv := []string{b.program("integers"), "30000000"}
	for side, command := range map[string][]string{alone: argv, ours: b.recordOf("small", argv)} {
		began := time.Now()
		if _, _, err := b.timed(ctx, "", command...); err != nil {
			return err
		}
		b.readings.take("whole start", side, time.Since(began).Seconds())
	}
	return nil
}

// handOver measures what a hand-over between threads takes.
func (b *bench) handOver(ctx context.Context) error {
	n := max(200, 300*b.pace.percent)
	argv := []string{b.program("handover"), strconv.Itoa(n)}
	for side, command := range map[string][]string{pinned: argv, ours: b.recordOf("handover", argv)} {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
		}
		ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			return err
		}
		b.readings.take("whole hand-over", side, ns/1e9/float64(n))
	}
	return nil
}

// prepareWhole writes what the programs work on.
func (b *bench) prepareWhole(ctx context.Context) error {
	for name, text := range map[string]string{
		"lines.txt": lines(40_000 * b.pace.percent), "inserts.sql": inserts(1000 * b.pace.percent),
		"functions.c": functions(max(1, 4*b.pace.percent)), "compute.py": compute,
	} {
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	b.cc1 = b.said(ctx, "gcc", "-print-prog-name=cc1")
	b.python = b.said(ctx, "python3", "-c", "import sys; print(sys.executable)")
	return nil
}

// lines returns lines of letters that no order has, of so many bytes.
func lines(size int) string {
	var text strings.Builder
	for x := uint32(1); text.Len() < size; {
		for range 8 {
			x = x*1664525 + 1013904223
			text.WriteByte('a' + byte(x>>24%26))
		}
		fmt.Fprintf(&text, " line %d\n", x%1000)
	}
	return text.String()
}

// inserts returns the statements of so many inserts.
func inserts(n int) string {
	var text strings.Builder
	text.WriteString("create table t(a integer primary key, b text, c real);\nbegin;\n")
	for i := range n {
		fmt.Fprintf(&text, "insert into t values(%d, 'row %d', %d.5);\n", i, i*7919%n, i)
	}
	text.WriteString("commit;\nselect count(*), sum(c), max(b) from t;\n")
	return text.String()
}

// functions returns so many functions in C, of five lines each.
func functions(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "int f%d(int a, int *p)\n{\n\tfor (int i = 0; i < a; i++)\n\t\tp[i] = p[i] * %d + (a ^ i);\n}\n", i, i+3)
	}
	return strings.ReplaceAll(text.String(), "\n}\n", "\n\treturn a; }\n")
}

// compute is a program in Python.
const compute = `import sys
def f(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s
d = {}
for i in range(int(sys.argv[1]) // 50):
    d[i] = str(i)
print(f(int(sys.argv[1])), len(d))
`
