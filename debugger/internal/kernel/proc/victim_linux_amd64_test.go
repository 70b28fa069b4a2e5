package proc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// victimCommand makes the test binary a debugger that is about to be killed.
const victimCommand = "__victim"

// A victim is the operation during which the debugger is killed. mark is in
// code that the threads run all the time, quiet in code that none has run yet.
type victim struct {
	name     string
	software bool
	stops    bool // and says so: until then an int3 that is run all the time is in
	do       func(p *proc.Process, mark, quiet uint64) error
}

var victims = []victim{
	{"stopped", false, false, func(*proc.Process, uint64, uint64) error { return nil }},
	{"running", false, false, runQuietly},
	{"running with four breakpoints", false, false, runWithFour},
	{"running with int3", true, false, runQuietly},
	{"at a breakpoint", false, true, stopAt},
	{"at an int3", true, true, stopAt},
	{"between breakpoints", false, false, runPast},
	{"in single steps", false, false, stepOn},
	{"in a series of steps", false, false, stepSeries},
	{"watching what is written", false, false, watchWrites},
	{"at system calls", false, false, stopAtSyscalls},
}

func runQuietly(p *proc.Process, _, quiet uint64) error {
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: quiet}); err != nil {
		return err
	}
	_, err := p.Resume(context.Background())
	return err
}

// runWithFour takes all places of the processor.
func runWithFour(p *proc.Process, _, quiet uint64) error {
	for i := range uint64(3) {
		if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: quiet + 1 + i}); err != nil {
			return err
		}
	}
	return runQuietly(p, 0, quiet)
}

func stopAt(p *proc.Process, mark, _ uint64) error {
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: mark}); err != nil {
		return err
	}
	_, err := p.Resume(context.Background())
	fmt.Println("stopped")
	return err
}

func runPast(p *proc.Process, mark, _ uint64) error {
	never := func(proc.Hit) (bool, error) { return false, nil }
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: mark, Condition: never}); err != nil {
		return err
	}
	_, err := p.Resume(context.Background())
	return err
}

// stepOn steps a thread that computes.
func stepOn(p *proc.Process, mark, _ uint64) error {
	b, err := p.SetBreakpoint(proc.BreakpointSpec{Address: mark, Once: true})
	if err != nil {
		return err
	}
	stop, err := p.Resume(context.Background())
	if err != nil || stop.Breakpoint != b.ID {
		return fmt.Errorf("stop %+v: %w", stop, err)
	}
	for {
		if _, err := p.StepInstruction(context.Background(), 0); err != nil {
			return err
		}
	}
}

func stepSeries(p *proc.Process, mark, _ uint64) error {
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: mark, Once: true}); err != nil {
		return err
	}
	if _, err := p.Resume(context.Background()); err != nil {
		return err
	}
	return p.Step(context.Background(), 0, func(s *proc.Stepper) error {
		for {
			if _, err := s.Step(); err != nil {
				return err
			}
		}
	})
}

// watchWrites lets the process run for a moment again and again.
func watchWrites(p *proc.Process, _, _ uint64) error {
	for {
		if _, err := p.Written(); err != nil && !errors.Is(err, proc.ErrUnwatched) {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		_, err := p.Resume(ctx)
		if cancel(); err != nil {
			return err
		}
	}
}

// stopAtSyscalls stops before and after each system call.
func stopAtSyscalls(p *proc.Process, _, _ uint64) error {
	if err := p.CatchSyscalls(func(uint64) bool { return true }); err != nil {
		return err
	}
	for {
		if _, err := p.Resume(context.Background()); err != nil {
			return err
		}
	}
}

// victimMain is the debugger's side: process, name of the victim, addresses. It
// says that it is ready when the handler of SIGTRAP is in place: while that
// is being changed the process does bear no interruption.
func victimMain(args []string) int {
	var n [3]uint64
	for i, text := range []string{args[0], args[2], args[3]} {
		n[i], _ = strconv.ParseUint(text, 10, 64)
	}
	for _, v := range slices.Concat(victims, followers, []victim{callers[0].victim, callers[1].victim}) {
		if v.name != args[1] {
			continue
		}
		p, err := proc.Attach(context.Background(), int(n[0]), proc.Options{Software: v.software})
		if err == nil {
			err = p.Step(context.Background(), 0, func(*proc.Stepper) error { return nil })
		}
		if err == nil {
			fmt.Println("ready")
			err = v.do(p, n[1], n[2])
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		time.Sleep(time.Hour) // until it is killed; Go ends a process that waits for nothing
	}
	return 2
}

// A debugger that is killed leaves its process alive and unharmed, whatever it
// was doing: always, but for int3 instructions, where a thread may come to one
// before the guard does, once in a hundred times at most.
func TestDebuggerIsKilled(t *testing.T) {
	for _, v := range victims {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			n := max(rounds()/20, 2)
			died := 0
			for i := range n {
				t.Run("", func(t *testing.T) { died += killDebugger(t, v, i) }) // whose end is the program's
			}
			if died > 0 && (!v.software || died*100 > n) {
				t.Errorf("of %d processes %d died", n, died)
			}
			t.Logf("of %d processes %d died", n, died)
		})
	}
}

// killDebugger says how many processes that cost: none or one.
func killDebugger(t *testing.T, v victim, round int) int {
	t.Helper()
	var program *debuggertest.Program
	var mark, quiet uint64
	if round%2 == 0 {
		program = debuggertest.Start(t, "threads.c")
		mark, quiet = program.Mark("tick"), program.Mark("visit")
	} else {
		program = debuggertest.Start(t, "busy.go")
		mark, quiet = program.Mark("visit"), program.Symbol("main.main")
	}
	return killWhile(t, v, program, mark, quiet, time.Duration(round%10)*3*time.Millisecond)
}

// killWhile kills the debugger of a program after a while.
func killWhile(t *testing.T, v victim, program *debuggertest.Program, mark, quiet uint64, after time.Duration) int {
	t.Helper()
	debugger := debuggertest.StartFile(t, "the debugger", os.Args[0], victimCommand, strconv.Itoa(program.PID), v.name,
		fmt.Sprint(mark), fmt.Sprint(quiet))
	if v.stops {
		debugger.Line()
	}
	time.Sleep(20*time.Millisecond + after)
	debugger.Kill()
	debugger.Wait()
	time.Sleep(5 * time.Millisecond) // to die of what is left takes no longer
	if state := program.Status("State"); state == "" || state[0] == 'Z' || state[0] == 'X' {
		return 1
	}
	awaitRepair(t, program)
	program.Ask("one")
	requireUnharmed(t, program)
	return 0
}

// awaitRepair gives the guard time.
func awaitRepair(t *testing.T, program *debuggertest.Program) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, changed := changedCode(t, program); !changed {
			return
		}
	}
}
