package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// debuggee is the program that is attached to. Its first argument is the number of
// its threads.
//
//go:embed testdata/debuggee.c
var debuggee string

// growDebuggee draws how long it takes to attach to a process, which stops it,
// and to show its stack, over the number of its threads and over the size of the
// program.
func (b *bench) growDebuggee(ctx context.Context) error {
	if !installed("gcc") {
		return nil
	}
	err := b.growThreads(ctx)
	if err == nil {
		err = b.growProgram(ctx)
	}
	if err != nil && strings.Contains(err.Error(), notPermitted) {
		fmt.Fprintln(os.Stderr, "nothing can be traced here: the debugger's plots are left out")
		return nil
	}
	return err
}

// notPermitted is the code of what the kernel does not let us do.
const notPermitted = "-32003"

func (b *bench) growThreads(ctx context.Context) error {
	p := plot{
		File: "threads.svg", Title: "A debuggee with more threads", LogX: true, LogY: true,
		X: "threads", Y: "time, ms", Remark: "Attaching stops the process and all its threads; the stack is one thread's.",
	}
	counts := []int{1, 4, 16, 64, 256, 1024}
	if b.quick {
		counts = []int{1, 16, 256}
	}
	program, err := b.compile(ctx, 1)
	if err != nil {
		return err
	}
	lines := []line{{Name: "attach and stop"}, {Name: "stack"}, {Name: "list the threads"}, {Name: "detach"}}
	for _, n := range counts {
		times, err := b.visits(ctx, program, n)
		if err != nil {
			return fmt.Errorf("%d threads: %w", n, err)
		}
		for i := range lines {
			lines[i].Points = append(lines[i].Points, [2]float64{float64(n), figures.Median(times[i])})
		}
	}
	p.Lines = lines
	b.plot(p)
	return nil
}

func (b *bench) growProgram(ctx context.Context) error {
	p := plot{
		File: "program.svg", Title: "A bigger debuggee", LogX: true, LogY: true,
		X: "functions with debug information", Y: "time until the stack is shown, ms",
		Remark: "Attaching and the first stack in a server that has not seen the program, and in one that has.",
	}
	sizes := []int{100, 1_000, 10_000, 50_000}
	if b.quick {
		sizes = []int{100, 1_000, 10_000}
	}
	first, again := line{Name: "the first time"}, line{Name: "again"}
	for _, n := range sizes {
		program, err := b.compile(ctx, n)
		if err != nil {
			return err
		}
		times, err := b.visits(ctx, program, 1)
		if err != nil {
			return fmt.Errorf("%d functions: %w", n, err)
		}
		first.Points = append(first.Points, [2]float64{float64(n), times[0][0] + times[1][0]})
		again.Points = append(again.Points, [2]float64{float64(n), figures.Median(times[0][1:]) + figures.Median(times[1][1:])})
	}
	p.Lines = []line{first, again}
	b.plot(p)
	return nil
}

// compile builds the debuggee with n functions of a few lines. It is static: the
// otherwise the debug information of the C library would dominate.
func (b *bench) compile(ctx context.Context, n int) (string, error) {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "int f%d(int x)\n{\n\tint y = x + %d;\n\tfor (int i = 0; i < x; i++)\n\t\ty += i;\n\treturn y;\n}\n", i, i)
	}
	text.WriteString(debuggee)
	source := filepath.Join(b.data, fmt.Sprintf("debuggee%d.c", n))
	if err := os.WriteFile(source, []byte(text.String()), 0o644); err != nil {
		return "", err
	}
	program := strings.TrimSuffix(source, ".c")
	_, err := run(ctx, b.data, "gcc", "-g", "-O0", "-static", "-pthread", "-o", program, source)
	return program, err
}

// visits attaches a few times and returns how long attaching, the stack, the
// list of threads and detaching took each time, in milliseconds.
func (b *bench) visits(ctx context.Context, program string, threads int) (times [4][]float64, err error) {
	cmd := exec.CommandContext(ctx, program, strconv.Itoa(threads))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return times, err
	}
	if err := cmd.Start(); err != nil {
		return times, err
	}
	defer func() {
		_ = cmd.Process.Kill() // it would wait for ever
		_ = cmd.Wait()         // killed
	}()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it is ready
		return times, err
	}
	conn, err := load.Open(ctx, b.triptych("--families", "debugger"))
	if err != nil {
		return times, err
	}
	for range 6 {
		for i, m := range []load.Message{
			load.Call("debugger/attach", fmt.Sprintf(`{"pid":%d}`, cmd.Process.Pid)),
			load.Call("debugger/get_stack_trace", `{}`), load.Call("debugger/threads", `{}`), load.Call("debugger/detach", `{}`),
		} {
			_, took, err := load.Once(conn, m)
			if err != nil {
				return times, errors.Join(err, conn.Close())
			}
			times[i] = append(times[i], float64(took)/float64(time.Millisecond))
		}
	}
	return times, conn.Close()
}

// growHistory draws what going back costs over the length of what was recorded.
func (b *bench) growHistory(ctx context.Context) error {
	results, err := b.goBench(ctx, "debugger/internal/record/history", "^BenchmarkLength$")
	if err != nil {
		return err
	}
	p := plot{
		File: "history.svg", Title: "Going back in what was recorded", LogX: true, LogY: true,
		X: "instructions recorded", Y: "time, µs", Remark: "Recorded in a loop that calls, reads and writes.",
	}
	lines := map[string]*line{}
	for _, r := range results {
		part := strings.Split(r.name, "/") // BenchmarkLength/1000/step
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return err
		}
		what := strings.ReplaceAll(part[2], "_", " ")
		if lines[what] == nil {
			lines[what] = &line{Name: what}
		}
		lines[what].Points = append(lines[what].Points, [2]float64{n, r.values["ns/op"] / 1000})
		size, told := r.values["B/step"]
		if told && n == 1e6 && what == "one back and forth" {
			b.cost("an instruction in the debugger's history", fmt.Sprintf("%.1f B", size))
		}
	}
	for _, what := range []string{"one back and forth", "to the beginning and back"} {
		if l := lines[what]; l != nil {
			p.Lines = append(p.Lines, *l)
		}
	}
	if len(p.Lines) > 0 { // there are none where nothing can be traced
		b.plot(p)
	}
	return nil
}
