package proc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// attach debugs a program until the end of the test.
func attach(t testing.TB, program *debuggertest.Program, options proc.Options) *proc.Process {
	t.Helper()
	p, err := proc.Attach(t.Context(), program.PID, options)
	if err != nil {
		if _, ok := errors.AsType[*proc.PermissionError](err); ok {
			t.Skip("tracing is not permitted here: ", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Detach(context.Background()); err != nil {
			t.Errorf("Detach: %v", err)
		}
	})
	return p
}

// resume lets the process run and fails the test on an error. It does not wait
// for ever.
func resume(t testing.TB, p *proc.Process) proc.Stop {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	stop, err := p.Resume(ctx)
	if err != nil {
		t.Fatalf("Resume: %v", err)
	}
	if ctx.Err() != nil {
		t.Fatalf("Resume: nothing stopped the process")
	}
	return stop
}

// resumeFor lets the process run for a while.
func resumeFor(t testing.TB, p *proc.Process, d time.Duration) proc.Stop {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	stop, err := p.Resume(ctx)
	if err != nil {
		t.Fatalf("Resume: %v", err)
	}
	return stop
}

// rounds returns the number of attempts of the tests that look for races between
// processes.
func rounds() int { return sample.Count(10, 100) }

// descriptors counts those which this process has open.
func descriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// requireUnharmed checks that a program is as if it had never been debugged.
func requireUnharmed(t testing.TB, program *debuggertest.Program) {
	t.Helper()
	if got := program.Status("TracerPid"); got != "0" {
		t.Errorf("TracerPid is %s, want 0", got)
	}
	if at, ok := changedCode(t, program); ok {
		t.Errorf("the code at %#x is not that of the file", at)
	}
}

// changedCode finds the first byte of a program's code that is not the file's.
func changedCode(t testing.TB, program *debuggertest.Program) (uint64, bool) {
	t.Helper()
	address, want := program.Text()
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", program.PID))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	got := make([]byte, len(want))
	if _, err := f.ReadAt(got, int64(address)); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return 0, false
	}
	for i := range got {
		if got[i] != want[i] {
			return address + uint64(i), true
		}
	}
	return 0, false
}

// speed returns the work that a program does in a second of processor time,
// summed over its threads.
func speed(t testing.TB, program *debuggertest.Program) float64 {
	t.Helper()
	count := func() (done, ns float64) {
		done, err := strconv.ParseFloat(program.Ask("count"), 64)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", program.PID))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range stats {
			text, _ := os.ReadFile(name) // the thread may have ended
			var ran float64
			_, _ = fmt.Sscan(string(text), &ran)
			ns += ran
		}
		return done, ns
	}
	done, ns := count()
	time.Sleep(200 * time.Millisecond)
	more, later := count()
	return (more - done) / (later - ns) * 1e9
}

// Attaching and detaching leaves a program with several threads as it was,
// however often: what it has open, how fast it is.
func TestAttachRounds(t *testing.T) {
	for _, name := range []string{"busy.go", "threads.c"} {
		t.Run(name, func(t *testing.T) {
			program := debuggertest.Start(t, name)
			program.Ask("count")
			var before int
			files, fast := fmt.Sprint(links(t, program)), 0.0
			if name == "busy.go" {
				fast = speed(t, program)
			}
			for i := range rounds() {
				p, err := proc.Attach(t.Context(), program.PID, proc.Options{})
				if err != nil {
					t.Fatalf("round %d: Attach: %v", i, err)
				}
				if i%6 == 0 {
					written(t, p)
				}
				if i%3 == 0 {
					resumeFor(t, p, time.Millisecond)
				}
				if err := p.Detach(t.Context()); err != nil {
					t.Fatalf("round %d: Detach: %v", i, err)
				}
				if i == 1 {
					before = descriptors(t)
				}
			}
			if got := descriptors(t); got > before+2 {
				t.Errorf("%d descriptors are open, before there were %d", got, before)
			}
			if got := fmt.Sprint(links(t, program)); got != files {
				t.Errorf("the program has %s open, before it had %s", got, files)
			}
			if name == "busy.go" {
				now := 0.0
				eventually(func() bool { // the machine may be busy
					now = speed(t, program)
					return now >= fast*0.6
				})
				if now < fast*0.6 {
					t.Errorf("the program does %.0f things a second, before it did %.0f", now, fast)
				}
			}
			requireUnharmed(t, program)
			program.Ask("count")
		})
	}
}

// A SIGTRAP that another process queues is a signal, like one sent with kill.
func TestQueuedTrap(t *testing.T) {
	program := debuggertest.Start(t, "forker.c")
	p := attach(t, program, proc.Options{})
	if err := p.SetSignal(unix.SIGTRAP, proc.StopAndDrop); err != nil {
		t.Fatal(err)
	}
	info := make([]byte, 128)
	info[8], info[9], info[10], info[11] = 0xff, 0xff, 0xff, 0xff // SI_QUEUE
	if err := queueSignal(program.PID, int(unix.SIGTRAP), info); err != nil {
		t.Fatal(err)
	}
	if stop := resume(t, p); stop.Why != proc.Signalled || stop.Signal != unix.SIGTRAP {
		t.Errorf("stop %+v, want SIGTRAP", stop)
	}
}

// Signals that come while a process is attached to, stopped, stepped and let
// go arrive once each, with what belongs to them: SIGRTMIN is queued by the
// kernel, so that the program can count.
func TestNoSignalIsLost(t *testing.T) {
	program := debuggertest.Start(t, "ticker.c")
	before := ticksIn(t, program, 200*time.Millisecond)
	stop := make(chan struct{})
	sent := make(chan [2]int)
	go func() { sent <- bombard(program.PID, stop) }()
	for i := range rounds() {
		p, err := proc.Attach(t.Context(), program.PID, proc.Options{})
		if err != nil {
			t.Fatalf("round %d: Attach: %v", i, err)
		}
		if err := p.SetSignal(34, proc.Pass); err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 0:
			resumeFor(t, p, 2*time.Millisecond)
		case 1:
			for range 20 {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
				if _, err := p.StepInstruction(ctx, 0); err != nil {
					t.Fatalf("round %d: StepInstruction: %v", i, err)
				}
				cancel()
			}
		}
		if err := p.Detach(t.Context()); err != nil {
			t.Fatalf("round %d: Detach: %v", i, err)
		}
	}
	close(stop)
	want := <-sent
	got := ""
	eventually(func() bool { // the last ones are on their way
		got = program.Ask("signals")
		return got == fmt.Sprint(want[0], want[1])
	})
	if got != fmt.Sprint(want[0], want[1]) {
		t.Errorf("the program counted %s signals and their sum, %d %d were sent", got, want[0], want[1])
	}
	now := 0
	eventually(func() bool { // the machine may be busy
		now = ticksIn(t, program, 200*time.Millisecond)
		return now*3 >= before
	})
	if now*3 < before {
		t.Errorf("the timer ticks %d times, before it ticked %d times", now, before)
	}
	if ticks, err := strconv.Atoi(program.Ask("ticks")); err != nil || ticks < 20 {
		t.Errorf("the timer has ticked %d times", ticks)
	}
	requireUnharmed(t, program)
}

// eventually waits until a condition holds, for 20 seconds at most.
func eventually(holds func() bool) {
	for end := time.Now().Add(20 * time.Second); !holds() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// ticksIn returns the number of ticks of the timer in a time.
func ticksIn(t testing.TB, program *debuggertest.Program, d time.Duration) int {
	t.Helper()
	first, err := strconv.Atoi(program.Ask("ticks"))
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(d)
	last, err := strconv.Atoi(program.Ask("ticks"))
	if err != nil {
		t.Fatal(err)
	}
	return last - first
}

// bombard sends queued signals with values until it is stopped, and returns
// how many and the sum of the values.
func bombard(pid int, stop <-chan struct{}) [2]int {
	var count, sum int
	for {
		select {
		case <-stop:
			return [2]int{count, sum}
		case <-time.After(300 * time.Microsecond):
		}
		info := make([]byte, 128)
		value := count%7 + 1
		info[0], info[8], info[9], info[10], info[11] = 34, 0xff, 0xff, 0xff, 0xff // SI_QUEUE
		info[24] = byte(value)
		if queueSignal(pid, 34, info) == nil {
			count, sum = count+1, sum+value
		}
	}
}

// Only one debugger at a time, and never one that would harm.
func TestAttachRefuses(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	p := attach(t, program, proc.Options{})
	thread := 0
	threads, err := p.Threads()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range threads {
		if x.ID != program.PID {
			thread = x.ID
		}
	}
	tests := []struct {
		name string
		pid  int
		want string
	}{
		{"init", 1, "first process"},
		{"self", os.Getpid(), "debugger itself"},
		{"parent", os.Getppid(), "runs under it"},
		{"kernel", 2, "thread of the kernel"},
		{"traced", program.PID, fmt.Sprintf("process %d (", os.Getpid())},
		{"thread", thread, "attach to process " + strconv.Itoa(program.PID)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := proc.Attach(t.Context(), test.pid, proc.Options{})
			refusal, ok := errors.AsType[*proc.PermissionError](err)
			if !ok || !strings.Contains(refusal.Error(), test.want) {
				t.Errorf("Attach(%d) = %v, want a PermissionError with %q", test.pid, err, test.want)
			}
		})
	}
	for _, pid := range []int{0, -5, 1 << 22} {
		if _, err := proc.Attach(t.Context(), pid, proc.Options{}); !errors.Is(err, proc.ErrNotFound) {
			t.Errorf("Attach(%d) = %v, want ErrNotFound", pid, err)
		}
	}
}

// A process that has ended and was not waited for is not there.
func TestAttachToZombie(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(statOf(cmd.Process.Pid), ") Z ") {
		time.Sleep(time.Millisecond)
	}
	if _, err := proc.Attach(t.Context(), cmd.Process.Pid, proc.Options{}); !errors.Is(err, proc.ErrNotFound) {
		t.Errorf("Attach = %v, want ErrNotFound", err)
	}
	_ = cmd.Wait()
}

func statOf(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return string(text)
}

// A program that job control has stopped stays stopped, and goes on with
// SIGCONT, while it is debugged and afterwards.
func TestGroupStop(t *testing.T) {
	program := debuggertest.Start(t, "threads.c")
	if err := unix.Kill(program.PID, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	awaitState(t, program, "T (stopped)")
	p := attach(t, program, proc.Options{})
	if stop := resumeFor(t, p, 50*time.Millisecond); stop.Why != proc.Paused {
		t.Fatalf("stopped by %v", stop.Why)
	}
	counts := func() string { return readWords(t, p, program.Symbol("counts"), 3) }
	before := counts()
	resumeFor(t, p, 50*time.Millisecond)
	if got := counts(); got != before {
		t.Errorf("the threads ran in a group stop: %s became %s", before, got)
	}
	if err := unix.Kill(program.PID, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	eventually(func() bool {
		resumeFor(t, p, 50*time.Millisecond)
		return counts() != before
	})
	if got := counts(); got == before {
		t.Error("the threads do not run after SIGCONT")
	}
	if err := unix.Kill(program.PID, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if stop := resume(t, p); stop.Why != proc.Signalled || stop.Signal != unix.SIGSTOP {
		t.Errorf("stopped by %v, want SIGSTOP", stop)
	}
	resumeFor(t, p, 50*time.Millisecond)
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitState(t, program, "T (stopped)")
	if err := unix.Kill(program.PID, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	program.Ask("count")
}

func awaitState(t *testing.T, program *debuggertest.Program, want string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); program.Status("State") != want; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the program is in state %s, want %s", program.Status("State"), want)
		}
	}
}

// readWords reads n words of 8 bytes as text.
func readWords(t *testing.T, p *proc.Process, address uint64, n int) string {
	t.Helper()
	b := make([]byte, 8*n)
	if _, err := p.ReadMemory(address, b); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", b)
}

// answer lets the process run until it has written a line.
func answer(t testing.TB, p *proc.Process, program *debuggertest.Program) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	type result struct {
		stop proc.Stop
		err  error
	}
	done := make(chan result, 1)
	go func() {
		stop, err := p.Resume(ctx)
		done <- result{stop, err}
	}()
	line := program.Line()
	cancel()
	if r := <-done; r.err != nil || r.stop.Why != proc.Paused {
		t.Fatalf("while it was to answer: stop %+v, %v", r.stop, r.err)
	}
	return line
}
