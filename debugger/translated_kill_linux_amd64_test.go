package debugger_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// recordsProcess is the environment variable with the process that the test binary records
// until it is killed.
const recordsProcess = "TRANSLATED_TEST_PROCESS"

// TestRecordsUntilKilled is the program that TestRecordTranslatedKilled kills.
func TestRecordsUntilKilled(t *testing.T) {
	pid, err := strconv.Atoi(os.Getenv(recordsProcess))
	if err != nil {
		t.Skip("it is run by another test")
	}
	c := connect(t, table(t, debugger.Config{}))
	c.ok("attach", args{"pid": pid})
	c.ok("set_breakpoint", args{"function": "round_of"})
	fmt.Println("attached")
	for {
		contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 1 (")
		fmt.Println("stopped")
	}
}

// TestRecordTranslatedKilled kills debuggers while they record, or just have recorded. The
// program then runs on, and computes what it would have.
func TestRecordTranslatedKilled(t *testing.T) {
	kills := sample.Count(2, 20)
	arguments := []string{"40", "200000"}
	path := debuggertest.Build(t, "work.c", "-O1", "-pthread")
	want := worked(t, arguments...)
	folder := t.TempDir() // debuggers that are killed remove nothing
	for n := range kills {
		p := debuggertest.StartFile(t, "work.c", path, append(arguments, "waits")...)
		command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRecordsUntilKilled$")
		command.Env = append(os.Environ(), fmt.Sprintf("%s=%d", recordsProcess, p.PID), "TMPDIR="+folder)
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() || lines.Text() != "attached" {
			t.Fatalf("%q (%v)", lines.Text(), lines.Err())
		}
		p.Tell("go")
		for range n%5 + 1 { // the first one says that it records
			if !lines.Scan() || lines.Text() != "stopped" {
				t.Fatalf("%q (%v)", lines.Text(), lines.Err())
			}
		}
		time.Sleep(rand.N(20 * time.Millisecond))
		_ = command.Process.Kill()
		if _ = command.Wait(); command.ProcessState.Exited() {
			t.Errorf("kill %d: the debugger had ended: %v", n, command.ProcessState)
		}
		if got := p.Line(); got != want {
			t.Errorf("kill %d: the program has written %q, want %q", n, got, want)
		}
		p.Wait()
	}
}

// A process that is detached from while it is recorded, or after that, runs on as it would have.
func TestRecordTranslatedDetach(t *testing.T) {
	arguments := []string{"40", "200000"}
	path := debuggertest.Build(t, "work.c", "-O1", "-pthread")
	want := worked(t, arguments...)
	for _, running := range []bool{false, true} {
		p := debuggertest.StartFile(t, "work.c", path, append(arguments, "waits")...)
		c := connect(t, table(t, debugger.Config{}))
		c.ok("attach", args{"pid": p.PID})
		p.Tell("go")
		before := p.Status("Cpus_allowed")
		c.ok("set_breakpoint", args{"function": "round_of"})
		contains(t, c.ok("continue", args{"record": true, "wait_ms": 60000}), "Stopped at breakpoint 1 (")
		if running {
			c.ok("clear_breakpoint", args{"id": 1})
			c.ok("continue", args{"record": true, "wait_ms": 0})
		} else {
			c.ok("step_backward", nil)
		}
		c.ok("detach", nil)
		if now := p.Status("Cpus_allowed"); now != before || now == "" {
			t.Errorf("it has the processors %s, it had %s", now, before)
		}
		if got := p.Line(); got != want {
			t.Errorf("the program has written %q, want %q", got, want)
		}
	}
}
