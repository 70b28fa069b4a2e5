package history_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// killedCommand makes the test binary a debugger that is killed at any moment.
const killedCommand = "__killed"

// A killMode is the work that the debugger repeats until it is killed. At holds
// functions that the program runs all the time.
type killMode struct {
	name string
	do   func(p *proc.Process, r *history.Recorder, at []uint64) error
}

var killModes = []killMode{
	{"in free runs", killedFree},
	{"at breakpoints", killedStopping},
	{"in steps", killedStepping},
	{"recording", killedRecording},
	{"attaching", nil}, // see killedMain
}

// never is a condition that does not hold.
func never(proc.Hit) (bool, error) { return false, nil }

func killedFree(p *proc.Process, r *history.Recorder, at []uint64) error {
	for _, address := range at {
		if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: address, Condition: never}); err != nil {
			return err
		}
	}
	for {
		if err := brief(func(ctx context.Context) error { _, err := r.Resume(ctx); return err }); err != nil {
			return err
		}
	}
}

// brief calls f with a context of some milliseconds.
func brief(f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
	defer cancel()
	return f(ctx)
}

func killedStopping(p *proc.Process, _ *history.Recorder, at []uint64) error {
	third := 0
	every := func(proc.Hit) (bool, error) { third++; return third%3 == 0, nil }
	for _, address := range at {
		if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: address, Condition: every}); err != nil {
			return err
		}
	}
	for {
		if stop, err := p.Resume(context.Background()); err != nil || stop.Ended() {
			return fmt.Errorf("%+v, %w", stop, err)
		}
	}
}

func killedStepping(p *proc.Process, r *history.Recorder, at []uint64) error {
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: at[0]}); err != nil {
		return err
	}
	for {
		stop, err := r.Resume(context.Background())
		if err != nil || stop.Ended() {
			return fmt.Errorf("%+v, %w", stop, err)
		}
		for n := range uint64(20) {
			if _, err := r.Step(context.Background(), 0, 1+n*n); err != nil {
				return err
			}
		}
	}
}

func killedRecording(_ *proc.Process, r *history.Recorder, _ []uint64) error {
	for {
		if _, err := r.Run(context.Background(), 0, history.Limits{Time: 10 * time.Millisecond, AllThreads: true}); err != nil {
			return err
		}
		if err := brief(func(ctx context.Context) error { _, err := r.Resume(ctx); return err }); err != nil {
			return err
		}
	}
}

// killedMain is the debugger's side: process, mode, whether it keeps from using
// the processor's breakpoints, and addresses.
func killedMain(args []string) int {
	fmt.Println("ready")
	pid, _ := strconv.Atoi(args[0])
	var at []uint64
	for _, text := range args[3:] {
		n, _ := strconv.ParseUint(text, 10, 64)
		at = append(at, n)
	}
	for {
		err := killedOnce(pid, args[1], args[2] == "true", at)
		if err != nil {
			fmt.Println("the debugger:", err)
			return 1
		}
	}
}

// killedOnce attaches, does what a mode says, and detaches.
func killedOnce(pid int, mode string, software bool, at []uint64) error {
	p, err := proc.Attach(context.Background(), pid, proc.Options{Software: software})
	if err != nil {
		return err
	}
	r, err := history.New(history.NewTarget(p), history.Options{})
	if err != nil {
		return err
	}
	for _, m := range killModes {
		if m.name == mode && m.do != nil {
			return m.do(p, r, at)
		}
	}
	_, err = p.SetBreakpoint(proc.BreakpointSpec{Address: at[0], Once: true})
	if err == nil {
		_, err = p.Resume(context.Background())
	}
	if err == nil {
		_, err = r.Step(context.Background(), 0, 100)
	}
	return errors.Join(err, p.Detach(context.Background()))
}

// kills returns the number of times that the debugger is killed in each mode.
func kills() int { return sample.Count(4, 100) }

// buildChecker compiles testdata/checker.c.
func buildChecker(t *testing.T) string {
	t.Helper()
	return debuggertest.Compile(t, "testdata/checker.c", nil, "gcc", "-g", "-O1", "-w", "-pthread")
}

// A debugger that is killed with SIGKILL, at whatever moment, leaves its process
// alive, at work in all threads, and with results that are right. None of 8,000 kills
// did harm; without the guard it is 70 of 1,000. The bound leaves room for a machine
// that does something rare.
func TestKilledAtAnyMoment(t *testing.T) {
	path := buildChecker(t)
	var all atomic.Int64
	t.Cleanup(func() {
		if n := kills() * len(killModes); all.Load() > max(1, int64(n)/2500) {
			t.Errorf("of %d kills %d did harm", n, all.Load())
		}
	})
	for _, m := range killModes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			var harmed atomic.Int64
			for done, n := 0, kills(); done < n; {
				t.Run("", func(t *testing.T) {
					threads := 1 + 2*(done/10%2)
					program := debuggertest.StartFile(t, "checker.c", path, strconv.Itoa(threads))
					for range 10 { // those that come later find what is left of the earlier
						if done == n {
							return
						}
						done++
						if !killAndCheck(t, program, m.name, done) {
							harmed.Add(1)
							all.Add(1)
							return
						}
					}
				})
			}
			t.Logf("%s: of %d kills %d did harm", m.name, kills(), harmed.Load())
		})
	}
}

// killAndCheck kills one debugger and reports whether the program is unharmed.
func killAndCheck(t *testing.T, program *debuggertest.Program, mode string, round int) bool {
	t.Helper()
	arguments := []string{killedCommand, strconv.Itoa(program.PID), mode, strconv.FormatBool(round%2 == 0)}
	for _, name := range []string{"tick", "calls", "flags", "fold", "work", "on_alarm"}[:2+round%5] {
		arguments = append(arguments, fmt.Sprint(program.Symbol(name)))
	}
	debugger := debuggertest.StartFile(t, "the debugger", os.Args[0], arguments...)
	time.Sleep(time.Duration(rand.N(60)) * time.Millisecond)
	debugger.Kill()
	debugger.Wait()
	if why := harm(t, program); why != "" {
		t.Logf("kill %d of those %s: %s", round, mode, why)
		return false
	}
	return true
}

// harm says what is wrong with the program: it has ended, one of its threads stands
// still, or blocks signals. It returns "" if nothing is.
func harm(t *testing.T, program *debuggertest.Program) string {
	t.Helper()
	before := workOf(program)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if state := program.Status("State"); state == "" || strings.ContainsAny(state[:1], "ZX") {
			return "the program has ended: " + program.Ended()
		}
		now, still := workOf(program), 0
		for i := range now {
			if now[i] == before[i] {
				still++
			}
		}
		if still == 0 && !blocksSignals(program) {
			return ""
		}
	}
	return "a thread stands still, or blocks signals"
}

// workOf reads how many checks each thread has made. It reads the program's memory:
// one that is harmed may not answer.
func workOf(program *debuggertest.Program) [3]uint64 {
	var counts [3]uint64
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", program.PID))
	if err != nil {
		return counts
	}
	defer func() { _ = f.Close() }()
	var b [8 * len(counts)]byte
	if _, err := f.ReadAt(b[:], int64(program.Symbol("ticks"))); err != nil {
		return counts
	}
	for i := range counts {
		counts[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return counts
}

// blocksSignals reports whether a thread blocks a signal, which none of the program's
// does by itself for longer than a handler takes.
func blocksSignals(program *debuggertest.Program) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", program.PID))
	for _, file := range files {
		if text, _ := os.ReadFile(file); !strings.Contains(string(text), "SigBlk:\t0000000000000000") {
			return true
		}
	}
	return false
}
