package history_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// buildAsleep compiles testdata/asleep.c.
func buildAsleep(t *testing.T) string {
	t.Helper()
	return debuggertest.Compile(t, "testdata/asleep.c", nil, "gcc", "-g", "-O1", "-w", "-pthread")
}

// recordAllThreads attaches to a program and records all its threads for a while.
func recordAllThreads(t *testing.T, program *debuggertest.Program, d time.Duration) (*proc.Process, *history.Recorder) {
	t.Helper()
	process, err := proc.Attach(t.Context(), program.PID, proc.Options{})
	if err != nil {
		t.Skip("tracing is not permitted here: ", err)
	}
	t.Cleanup(func() { _ = process.Detach(t.Context()) })
	r, err := history.New(history.NewTarget(process), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	result, err := r.Run(t.Context(), 0, history.Limits{Time: d, AllThreads: true})
	if err != nil || result.Why != history.TimedOut {
		t.Fatalf("Run: %+v, %v, want the time to be up", result, err)
	}
	if took := time.Since(began); took > d+10*time.Second {
		t.Errorf("a run of %v took %v", d, took)
	}
	return process, r
}

// number reads a variable of 8 bytes as the view has it.
func number(t *testing.T, v *history.View, address uint64) uint64 {
	t.Helper()
	var b [8]byte
	if _, err := v.ReadMemory(address, b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(b[:])
}

// A thread that computes is recorded while others wait in the kernel, whatever
// they wait for, and the limit of time holds. Each system call that is waited in
// may be begun again by the kernel, some of them as another one.
func TestOthersSleep(t *testing.T) {
	path := buildAsleep(t)
	for _, how := range []string{"cond", "read", "epoll", "poll", "sleep", "join"} {
		t.Run(how, func(t *testing.T) {
			sample.Case(t)
			program := debuggertest.StartFile(t, "asleep.c", path, how)
			for range 2 { // the second finds what the first has interrupted
				requireRounds(t, program)
			}
			requireCounting(t, program)
		})
	}
}

// requireRounds fails the test unless the thread that computes makes many rounds while it
// is recorded. Single steps, to which the recorder must not fall back, make 5,000 in 300
// ms at most. On a busy machine both processes get little time: the recording is repeated
// and lasts longer then, and rounds are counted for each second of the processor's time.
func requireRounds(t *testing.T, program *debuggertest.Program) {
	t.Helper()
	const most, short = 20_000, 300 * time.Millisecond
	var counted uint64
	var spent time.Duration
	for n := range 7 {
		before := processorTime(t, program)
		counted = recordRounds(t, program, short<<n)
		spent = processorTime(t, program) - before
		if counted >= most<<n || float64(counted) > most*spent.Seconds()/short.Seconds() {
			return
		}
	}
	t.Errorf("the thread that computes has made %d rounds in %v of the processor's time, want %d in %v", counted, spent, most, short)
}

// processorTime returns the time of the processor that the program and this process have
// had.
func processorTime(t *testing.T, program *debuggertest.Program) time.Duration {
	t.Helper()
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	all := time.Duration(own.Utime.Nano() + own.Stime.Nano())
	stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", program.PID))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		text, _ := os.ReadFile(name) // the thread may have ended
		var ran int64
		_, _ = fmt.Sscan(string(text), &ran)
		all += time.Duration(ran)
	}
	return all
}

// recordRounds attaches, records for a time, and returns the rounds that the program has
// made then.
func recordRounds(t *testing.T, program *debuggertest.Program, d time.Duration) uint64 {
	t.Helper()
	process, r := recordAllThreads(t, program, d)
	counter, h := program.Symbol("rounds"), r.History()
	now := number(t, h.View(), counter)
	if _, err := h.Seek(h.Oldest()); err != nil {
		t.Fatal(err)
	}
	counted := now - number(t, h.View(), counter)
	if err := process.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	return counted
}

// requireCounting fails the test unless the program is at work.
func requireCounting(t *testing.T, program *debuggertest.Program) {
	t.Helper()
	before := program.Ask("count")
	for end := time.Now().Add(20 * time.Second); program.Ask("count") == before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the program stands still")
		}
	}
}

// Threads that wait for each other hand over while they are recorded: a thread
// that was woken gets its turn after the system call that has woken it. On two
// idle cores 700 are handed over in two seconds, under load as few as 20.
func TestHandOver(t *testing.T) {
	program := debuggertest.StartFile(t, "asleep.c", buildAsleep(t), "turns")
	handed := program.Symbol("handed")
	var now, recorded uint64
	for end := time.Now().Add(3 * time.Minute); recorded < 100; {
		if time.Now().After(end) {
			t.Fatalf("%d were handed over in three minutes, want at least 100", recorded)
		}
		process, r := recordAllThreads(t, program, 2*time.Second)
		h := r.History()
		now = number(t, h.View(), handed)
		if _, err := h.Seek(h.Oldest()); err != nil {
			t.Fatal(err)
		}
		recorded += now - number(t, h.View(), handed)
		if err := process.Detach(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	requireCounting(t, program)
	var rounds, after uint64
	if _, err := fmt.Sscan(program.Ask("count"), &rounds, &after); err != nil || after <= now {
		t.Errorf("%d were handed over, want more than %d: %v", after, now, err)
	}
}
