package debuggertest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// patience limits the time for a program's answer.
const patience = 2 * time.Minute

// A Program is a running program under test.
type Program struct {
	Path string // of the executable
	Name string // of the source
	PID  int

	t     testing.TB
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

// Start builds a program, starts it and waits until it says that it is ready.
func Start(t testing.TB, name string, args ...string) *Program {
	t.Helper()
	return StartFile(t, name, Build(t, name), args...)
}

// StartFile starts a program that Build has made of the source called name.
func StartFile(t testing.TB, name, path string, args ...string) *Program {
	t.Helper()
	cmd := exec.Command(path, args...) //nolint:noctx // its end is p.end, when those who trace it have let go
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &Program{Path: path, Name: name, PID: cmd.Process.Pid, t: t, cmd: cmd, in: in, lines: make(chan string, 16)}
	t.Cleanup(p.end)
	go p.read(out)
	if got := p.Line(); got != "ready" {
		t.Fatalf("%s said %q instead of ready", name, got)
	}
	return p
}

// read ends with the program's output.
func (p *Program) read(out io.Reader) {
	defer close(p.lines)
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		p.lines <- scanner.Text()
	}
}

// Kill kills the program. It may still be dying when Kill returns.
func (p *Program) Kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
}

// Wait returns when the program has ended. It takes the program's status, so it
// is not for one that this process traces.
func (p *Program) Wait() {
	for range p.lines { // until the output ends
	}
	_ = p.cmd.Wait() // how it ended does not matter
}

// Ended waits for the end and says how the program has ended. It is not for one that
// this process traces.
func (p *Program) Ended() string {
	p.Wait()
	return p.cmd.ProcessState.String()
}

// end kills the program. A tracer in this process may have taken its status.
func (p *Program) end() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill()
	p.Wait()
}

// Line returns the next line that the program writes, and fails the test when
// none comes.
func (p *Program) Line() string {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if !ok {
			_ = p.cmd.Wait()
			p.t.Fatalf("%s ended: %v", p.Name, p.cmd.ProcessState)
		}
		return line
	case <-time.After(patience):
		p.t.Fatalf("%s does not answer", p.Name)
	}
	return ""
}

// Tell sends a command.
func (p *Program) Tell(command string) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		_ = p.cmd.Wait()
		p.t.Fatalf("%s ended: %v, %v", p.Name, err, p.cmd.ProcessState)
	}
}

// Ask sends a command and returns the answer.
func (p *Program) Ask(command string) string {
	p.t.Helper()
	p.Tell(command)
	return p.Line()
}

// Status is one field of /proc/PID/status, "" when it is not there.
func (p *Program) Status(field string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID))
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && name == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// AwaitAllAsleep returns when all threads wait in the kernel at the same time. A thread that
// waits only for another one to come to its own wait is waited for, too.
func (p *Program) AwaitAllAsleep() {
	p.t.Helper()
	last := "none"
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		now := p.asleep()
		if now != "" && now == last { // no thread ran between
			return
		}
		if last = now; time.Now().After(end) {
			p.t.Fatalf("the threads of %s do not come to rest", p.Name)
		}
	}
}

// asleep returns how often each thread has begun to wait, "" if one of them does not wait.
func (p *Program) asleep() string {
	var all strings.Builder
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.PID))
	for _, task := range tasks {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/status", p.PID, task.Name()))
		if !strings.Contains(string(text), "\nState:\tS") {
			return ""
		}
		_, switches, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
		all.WriteString(task.Name() + switches)
	}
	return all.String()
}

// AwaitSleep returns when the main thread waits in the kernel, as it does for
// the next command.
func (p *Program) AwaitSleep() {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if strings.HasPrefix(p.Status("State"), "S") {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("%s does not come to rest: %s", p.Name, p.Status("State"))
		}
	}
}
