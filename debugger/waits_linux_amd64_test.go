package debugger_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// waitsOfC are the waits of the threads of waits.c, as regular expressions: what files
// descriptors are open on is known of a process alone.
var waitsOfC = []string{
	`the end of a sleep of 291h16m\d.*s`, `the mutex accounts\[2\]\.lock, held by thread \d+`, `the mutex accounts\[1\]\.lock, held by thread \d+`,
	`the condition variable changed`, `the semaphore semaphore`, `the read-write lock table\.lock, held by thread MAIN`,
	`the barrier barrier`, `input from descriptor \d( \(pipe:\[\d+\]\))?`, `a connection to descriptor \d( \(TCP 127\.0\.0\.1:\d+\))?`,
	`an event of descriptor \d( \(pipe:\[\d+\]\))?, descriptor \d( \(TCP 127\.0\.0\.1:\d+\))?`, `an event of descriptor \d( \(anon_inode:\[eventpoll\]\))?`,
	`the end of thread \d+`, `a signal`,
}

// A waiter is a thread of an answer of threads.
type waiter struct {
	ID, Holder int
	Wait       string
}

// waiters returns the threads but the main one, which must wait for input, unless it does
// something else.
func (c *client) waiters(main int) (others []waiter, cycles []string) {
	c.t.Helper()
	var list struct {
		Threads []waiter
		Cycles  []string
	}
	c.data("threads", nil, &list)
	for _, each := range list.Threads {
		if each.ID != main {
			others = append(others, each)
		}
	}
	return others, list.Cycles
}

// waitFor fails the test unless the threads wait as expected, in any order.
func waitFor(t *testing.T, threads []waiter, main int, want []string) {
	t.Helper()
	if len(threads) != len(want) {
		t.Errorf("%d threads, want %d", len(threads), len(want))
	}
	left := append([]waiter(nil), threads...)
next:
	for _, each := range want {
		re := regexp.MustCompile("^" + strings.ReplaceAll(each, "MAIN", fmt.Sprint(main)) + "$")
		for i, thread := range left {
			if re.MatchString(thread.Wait) {
				left = append(left[:i], left[i+1:]...)
				continue next
			}
		}
		t.Errorf("no thread waits for %s", re)
	}
	for _, each := range left {
		t.Errorf("thread %d waits for %q", each.ID, each.Wait)
	}
}

// deadlocked fails the test unless the two threads that wait for a pattern hold what the
// other waits for, and the only cycle is theirs.
func deadlocked(t *testing.T, threads []waiter, cycles []string, pattern string) {
	t.Helper()
	var two []waiter
	for _, each := range threads {
		if strings.Contains(each.Wait, pattern) {
			two = append(two, each)
		}
	}
	if len(two) != 2 || two[0].Holder != two[1].ID || two[1].Holder != two[0].ID {
		t.Errorf("the deadlocked threads are %+v", two)
	}
	if len(cycles) != 1 || !strings.HasPrefix(cycles[0], "Deadlock: ") {
		t.Errorf("cycles: %q", cycles)
	}
}

// attachAsleep attaches to a program whose threads all wait.
func attachAsleep(t *testing.T, name, path string) (*client, *debuggertest.Program) {
	t.Helper()
	p := debuggertest.StartFile(t, name, path)
	p.AwaitAllAsleep()
	c := connect(t, table(t, debugger.Config{}))
	c.ok("attach", args{"pid": p.PID})
	return c, p
}

// Threads say what they wait for, and who holds it, with glibc.
func TestThreadsWait(t *testing.T) {
	c, p := attachAsleep(t, "waits.c", debuggertest.Build(t, "waits.c"))
	threads, cycles := c.waiters(p.PID)
	waitFor(t, threads, p.PID, waitsOfC)
	deadlocked(t, threads, cycles, "the mutex accounts")
	contains(t, c.ok("threads", nil), "waits for input from descriptor 0 (pipe:[", "\nDeadlock: ")
}

// With musl, whose functions cannot be unwound, the types of the variables say what threads
// wait for.
func TestThreadsWaitWithMusl(t *testing.T) {
	path := debuggertest.Compile(t, debuggertest.Source("waits.c"), nil, "musl-gcc", "-g", "-O0")
	c, p := attachAsleep(t, "waits.c", path)
	threads, cycles := c.waiters(p.PID)
	want := append([]string(nil), waitsOfC...)
	want[1], want[2] = `the mutex accounts\[2\]\.lock, whose holder musl does not record`, `the mutex accounts\[1\]\.lock, whose holder musl does not record`
	want[3], want[5], want[6] = `the futex 0x[0-9a-f]+`, `the read-write lock table\.lock, held by a writer, which musl does not record`, `the (barrier|futex 0x[0-9a-f]+)`
	waitFor(t, threads, p.PID, want)
	if len(cycles) != 0 {
		t.Errorf("cycles: %q", cycles)
	}
}

// A recording and a core file tell the same as the process, but for the files.
func TestThreadsWaitInFiles(t *testing.T) {
	path := debuggertest.Build(t, "waits.c")
	c, pid := openRecorded(t, path, "end")
	threads, cycles := c.waiters(pid)
	waitFor(t, threads, pid, waitsOfC)
	deadlocked(t, threads, cycles, "the mutex accounts")

	tool, err := exec.LookPath("gcore")
	if err != nil {
		t.Skip("making a core file of a process needs gcore")
	}
	dir := t.TempDir()
	p := debuggertest.StartFile(t, "waits.c", path)
	p.AwaitAllAsleep()
	if out, err := exec.CommandContext(t.Context(), tool, "-o", filepath.Join(dir, "core"), fmt.Sprint(p.PID)).CombinedOutput(); err != nil {
		t.Fatalf("gcore: %v\n%s", err, out)
	}
	c = connect(t, table(t, debugger.Config{Traces: []string{dir}}))
	c.ok("open_core", args{"core": fmt.Sprintf("core.%d", p.PID)})
	threads, cycles = c.waiters(p.PID)
	waitFor(t, threads, p.PID, waitsOfC)
	deadlocked(t, threads, cycles, "the mutex accounts")
}

// A thread that is just before a system call waits for what it does at the present, too: a
// recording has all threads that wait there.
func TestThreadBeforeCall(t *testing.T) {
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": debuggertest.Build(t, "beforecall.c")})
	c.ok("set_breakpoint", args{"function": "at_clone"})
	contains(t, c.ok("continue", nil), "Stopped at breakpoint 1 (")
	c.ok("step_forward", nil) // the new thread has not begun
	contains(t, c.ok("threads", nil), fmt.Sprintf("waits for input from descriptor %d", 0x50f00))
}

// Threads of C++ wait by its library, which is that of C below it.
func TestThreadsWaitInCPP(t *testing.T) {
	c, p := attachAsleep(t, "waits.cc", debuggertest.Build(t, "waits.cc", "-std=c++17"))
	threads, cycles := c.waiters(p.PID)
	waitFor(t, threads, p.PID, []string{
		`the mutex to\.lock \(0x[0-9a-f]+\), held by thread \d+`, `the mutex to\.lock \(0x[0-9a-f]+\), held by thread \d+`,
		`the condition variable changed \(0x[0-9a-f]+\)`, `the future 0x[0-9a-f]+`, `the read-write lock table, held by thread MAIN`,
		`the end of a sleep of 99h59m.*`, `the initialization by another thread of guard variable for initialize\(\)::slow`,
	})
	deadlocked(t, threads, cycles, "the mutex to.lock")
}

// Threads of Rust wait by futexes of its library, which records no holders.
func TestThreadsWaitInRust(t *testing.T) {
	c, p := attachAsleep(t, "waits.rs", debuggertest.Compile(t, debuggertest.Source("waits.rs"), nil, "rustc", "-g"))
	threads, cycles := c.waiters(p.PID)
	waitFor(t, threads, p.PID, []string{
		`the mutex to\.balance.* \(0x[0-9a-f]+\), whose holder Rust does not record`, `the mutex to\.balance.* \(0x[0-9a-f]+\), whose holder Rust does not record`,
		`the condition variable .*0x[0-9a-f]+\)?`, `a message in a channel`, `room in a channel`, `the read-write lock waits::TABLE.*, whose holder Rust does not record`,
		`the barrier 0x[0-9a-f]+`, `unpark\(\) of this thread`, `the end of a sleep of 291h16m.*s`, `the end of thread \d+`,
	})
	if len(cycles) != 0 {
		t.Errorf("cycles: %q", cycles)
	}
}

// Goroutines say which channels, objects of package sync and descriptors they wait for.
func TestGoroutinesWait(t *testing.T) {
	c, _ := attach(t, "blocked/blocked.go")
	var list struct {
		Goroutines []struct{ Wait, On, Start string }
	}
	c.data("goroutines", nil, &list)
	var got []string
	for _, each := range list.Goroutines {
		if strings.HasPrefix(each.Start, "main.main.func") {
			got = append(got, each.Wait+": "+each.On)
		}
	}
	const named = `(\w+ \(0x[0-9a-f]+\)|0x[0-9a-f]+)` // Go's compiler drops variables that are used no more
	want := []string{
		`sync.Mutex.Lock: mutex (to.mutex \()?0x[0-9a-f]+\)?, whose holder Go does not record`, `sync.Mutex.Lock: mutex (to.mutex \()?0x[0-9a-f]+\)?, whose holder Go does not record`,
		`chan receive: ` + named + ` \(0 of 2 queued\)`, `chan send: ` + named + ` \(1 of 1 queued\)`,
		`select: ` + named + ` \(0 of 0 queued\), ` + named + ` \(0 of 0 queued\)`,
		`sync.WaitGroup.Wait: wait group .*0x[0-9a-f]+\)?, counter 3`, `sync.Cond.Wait: condition variable .*0x[0-9a-f]+\)?`,
		`sync.RWMutex.RLock: read-write lock main.table, whose writer Go does not record`,
		`IO wait: descriptor \d+ \(TCP 127\.0\.0\.1:\d+\)`, `sleep: the end of 1000h0m0s`, `chan receive \(nil chan\): `,
	}
	if len(got) != len(want) {
		t.Errorf("%d goroutines: %q", len(got), got)
	}
	for _, each := range want {
		found := false
		for _, text := range got {
			found = found || regexp.MustCompile("^"+each+"$").MatchString(text)
		}
		if !found {
			t.Errorf("no goroutine waits for %s: %q", each, got)
		}
	}
}
