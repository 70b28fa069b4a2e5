package proc_test

import (
	"context"
	"debug/elf"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// familySource is a program that creates a child by fork and one by vfork, which
// begins another program. Both and the parent call visit: its argument, and the status
// of the process, are 1 for the parent, 2 for the first and 3 for the second child.
const familySource = `#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
volatile int visits;
__attribute__((noinline)) void visit(int who) { visits += who; }
int main(int argc, char **argv) {
	if (argc > 1) {
		visit(3);
		_exit(visits);
	}
	int status, sum = 0;
	if (fork() == 0) {
		visit(2);
		_exit(visits);
	}
	wait(&status);
	sum += WEXITSTATUS(status);
	if (vfork() == 0) {
		execl(argv[0], argv[0], "again", (char *)0);
		_exit(9);
	}
	wait(&status);
	sum += WEXITSTATUS(status);
	visit(1);
	return sum == 5 && visits == 1 ? 7 : sum;
}
`

// family builds the program and returns its path.
func family(t *testing.T) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "family.c")
	if err := os.WriteFile(source, []byte(familySource), 0o600); err != nil {
		t.Fatal(err)
	}
	return debuggertest.Compile(t, source, nil, "gcc", "-g", "-O0", "-no-pie", "-static")
}

// symbol returns the address of a symbol in a program that is not moved.
func symbol(t *testing.T, path, name string) uint64 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all, err := f.Symbols()
	for _, s := range all {
		if s.Name == name {
			return s.Value
		}
	}
	t.Fatalf("%s has no symbol %s (%v)", path, name, err)
	return 0
}

// children takes the children of a process.
type children struct {
	mu    sync.Mutex
	taken chan child
	most  int
}

type child struct {
	process  *proc.Process
	executed bool
}

func (c *children) Admit() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most--
	return c.most >= 0
}

func (c *children) Take(p *proc.Process, executed bool) { c.taken <- child{p, executed} }

// resumeTo lets a process run, and fails unless it stops for a reason.
func resumeTo(t *testing.T, p *proc.Process, want proc.Why) proc.Stop {
	t.Helper()
	stop, err := p.Resume(t.Context())
	if err != nil || stop.Why != want {
		t.Fatalf("stop %+v (%v), want %v", stop, err, want)
	}
	return stop
}

// argument returns the first argument of the function where a process is stopped.
func argument(t *testing.T, p *proc.Process) uint64 {
	t.Helper()
	r, err := p.Regs(0)
	if err != nil {
		t.Fatal(err)
	}
	return r.RDI
}

// Each child becomes a process with a tracer of its own; all of them and the parent stop
// at their breakpoints, whether the processor does them or the code.
func TestFollowBoth(t *testing.T) {
	path := family(t)
	visit := symbol(t, path, "visit")
	for _, software := range []bool{false, true} {
		p, err := proc.Launch(t.Context(), proc.Spec{Path: path}, proc.Options{Software: software, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = p.Kill(); _ = p.Detach(context.Background()) }()
		c := &children{taken: make(chan child, 9), most: 9}
		if err := p.SetFollow(proc.FollowBoth, c); err != nil {
			t.Fatal(err)
		}
		if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: visit}); err != nil {
			t.Fatal(err)
		}
		type result struct {
			stop proc.Stop
			err  error
		}
		parent := make(chan result, 1)
		go func() {
			stop, err := p.Resume(context.Background())
			parent <- result{stop, err}
		}()
		for i, want := range []uint64{2, 3} {
			var child child
			select {
			case child = <-c.taken:
			case r := <-parent:
				t.Fatalf("the parent stops before child %d: %+v (%v)", want, r.stop, r.err)
			}
			if child.executed != (i == 1) || !child.process.Launched() || child.process.ID() == p.ID() {
				t.Errorf("child %d: executed %v, launched %v", want, child.executed, child.process.Launched())
			}
			if _, err := child.process.SetBreakpoint(proc.BreakpointSpec{Address: visit}); err != nil {
				t.Fatal(err)
			}
			resumeTo(t, child.process, proc.AtBreakpoint)
			if got := argument(t, child.process); got != want {
				t.Errorf("child %d stops with %d", want, got)
			}
			if stop := resumeTo(t, child.process, proc.Exited); stop.Status != int(want) {
				t.Errorf("child %d exits with %d", want, stop.Status)
			}
			if err := child.process.Detach(context.Background()); err != nil {
				t.Error(err)
			}
		}
		if r := <-parent; r.err != nil || r.stop.Why != proc.AtBreakpoint {
			t.Fatalf("the parent stops for %+v (%v)", r.stop, r.err)
		}
		if got := argument(t, p); got != 1 {
			t.Errorf("the parent stops with %d", got)
		}
		if stop := resumeTo(t, p, proc.Exited); stop.Status != 7 {
			t.Errorf("the parent exits with %d", stop.Status)
		}
	}
}

// Without room a child runs free, and leaves nothing of the debugger behind.
func TestFollowNoRoom(t *testing.T) {
	path := family(t)
	p, err := proc.Launch(t.Context(), proc.Spec{Path: path}, proc.Options{Software: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Kill(); _ = p.Detach(context.Background()) }()
	if err := p.SetFollow(proc.FollowBoth, &children{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: symbol(t, path, "visit")}); err != nil {
		t.Fatal(err)
	}
	resumeTo(t, p, proc.AtBreakpoint)
	if got := argument(t, p); got != 1 {
		t.Errorf("stops with %d, want the parent", got)
	}
	if stop := resumeTo(t, p, proc.Exited); stop.Status != 7 {
		t.Errorf("exits with %d", stop.Status)
	}
}

// The process goes on with its child, with the breakpoints that it has, and the parent
// runs free.
func TestFollowChild(t *testing.T) {
	path := family(t)
	visit := symbol(t, path, "visit")
	for _, software := range []bool{false, true} {
		p, err := proc.Launch(t.Context(), proc.Spec{Path: path}, proc.Options{Software: software, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = p.Kill(); _ = p.Detach(context.Background()) }()
		parent := p.ID()
		if err := p.SetFollow(proc.FollowChild, nil); err != nil {
			t.Fatal(err)
		}
		b, err := p.SetBreakpoint(proc.BreakpointSpec{Address: visit})
		if err != nil {
			t.Fatal(err)
		}
		stop := resumeTo(t, p, proc.AtBreakpoint)
		if got := argument(t, p); got != 2 || stop.Breakpoint != b.ID || stop.Left != parent || p.ID() == parent {
			t.Errorf("stop %+v of process %d with %d, want one of a child of %d with 2", stop, p.ID(), got, parent)
		}
		if now, err := p.Breakpoints(); err != nil || len(now) != 1 || now[0].Hardware != b.Hardware {
			t.Errorf("the breakpoints are %+v (%v)", now, err)
		}
		if stop := resumeTo(t, p, proc.Exited); stop.Status != 2 || stop.Left != 0 {
			t.Errorf("it exits with %+v", stop)
		}
	}
}

// A child lives that was created before the debugger wrote anything into its parent, and that
// stops afterwards.
func TestChildBeforeRescue(t *testing.T) {
	shell := debuggertest.StartFile(t, "sh", "/bin/sh", "-c", `echo ready; (read line; echo "$line"); echo "status $?"; read line`)
	var child int
	for end := time.Now().Add(10 * time.Second); child == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", shell.PID))
		child, _ = strconv.Atoi(strings.TrimSpace(string(text))) // there is none yet
	}
	p, err := proc.Attach(t.Context(), shell.PID, proc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.AnnounceChild(child); err != nil {
		t.Fatal(err)
	}
	if err := p.Step(t.Context(), 0, func(*proc.Stepper) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := p.StopChild(child); err != nil {
		t.Fatal(err)
	}
	if err := p.Detach(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, status := shell.Ask("unharmed"), shell.Line(); got != "unharmed" || status != "status 0" {
		t.Errorf("the child answers %q, %s", got, status)
	}
}

// followers are debuggers of a process that creates children, with breakpoints in code.
var followers = []victim{
	{"leaving children", true, false, func(p *proc.Process, mark, _ uint64) error { return followOn(p, mark, proc.FollowParent) }},
	{"following children", true, false, func(p *proc.Process, mark, _ uint64) error { return followOn(p, mark, proc.FollowBoth) }},
	{"following one child", true, false, func(p *proc.Process, mark, _ uint64) error { return followOn(p, mark, proc.FollowChild) }},
}

// followOn lets a process and its children run past breakpoints.
func followOn(p *proc.Process, mark uint64, mode proc.Follow) error {
	never := func(proc.Hit) (bool, error) { return false, nil }
	c := &children{taken: make(chan child), most: 1 << 30}
	if err := p.SetFollow(mode, c); err != nil {
		return err
	}
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: mark, Condition: never}); err != nil {
		return err
	}
	go func() {
		for child := range c.taken {
			go func() {
				if _, err := child.process.SetBreakpoint(proc.BreakpointSpec{Address: mark, Condition: never}); err == nil {
					_, _ = child.process.Resume(context.Background())
				}
				_ = child.process.Detach(context.Background())
			}()
		}
	}()
	_, err := p.Resume(context.Background())
	return err
}

// If the debugger is killed no child keeps a breakpoint, or waits for a debugger.
func TestDebuggerOfChildrenIsKilled(t *testing.T) {
	for _, v := range followers {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel() // they mostly wait
			for i := range max(rounds()/20, 3) {
				program := debuggertest.Start(t, "forks.c")
				mark := fmt.Sprint(program.Symbol("visit"))
				debugger := debuggertest.StartFile(t, "the debugger", os.Args[0], victimCommand, strconv.Itoa(program.PID), v.name, mark, mark)
				time.Sleep(20*time.Millisecond + time.Duration(i%10)*7*time.Millisecond)
				debugger.Kill()
				debugger.Wait()
				if got := program.Ask("one"); got != "unharmed" {
					t.Fatalf("round %d: it answers %q", i, got)
				}
			}
		})
	}
}
