package proc_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// System calls are caught alike on a kernel that does not tell where in one a thread is: also
// those that fail as if they did not exist, and those that begin again after a signal.
func TestCatchWithoutSyscallInfo(t *testing.T) {
	want := callsOf(t)
	for _, part := range []string{"100000() 100000 -38", "0() 1() 1 1", "0() 0 1 100000()"} {
		if !strings.Contains(want, part) {
			t.Fatalf("%q is not in %s", part, want)
		}
	}
	defer proc.WithoutSyscallInfo()()
	if got := callsOf(t); got != want {
		t.Errorf("without the request:\n%s\nwith it:\n%s", got, want)
	}
}

// callsOf lists the system calls of restarted.c from its first pipe on, with results that do
// not depend on addresses.
func callsOf(t *testing.T) string {
	t.Helper()
	p, err := proc.Launch(t.Context(), proc.Spec{Path: debuggertest.Build(t, "restarted.c", "-static")}, proc.Options{})
	if _, refused := errors.AsType[*proc.PermissionError](err); refused {
		t.Skip("tracing is not permitted here: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Kill() }()
	var list []string
	alarmed := false
	if err := p.CatchSyscalls(func(number uint64) bool { return number != syscall.SYS_BRK }); err != nil {
		t.Fatal(err)
	}
	for {
		stop, err := p.Resume(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch c := stop.Syscall; {
		case stop.Ended():
			if stop.Status != 0 {
				t.Fatalf("%+v", stop)
			}
			return strings.Join(list, " ")
		case stop.Why != proc.AtSyscall:
			list = append(list, fmt.Sprint(stop.Signal))
		case c.Returned && c.Result >= -4095 && c.Result <= 1:
			list = append(list, fmt.Sprintf("%d %d", c.Number, c.Result))
		case c.Returned: // an address or an id, which differ each time
			list = append(list, fmt.Sprint(c.Number))
		default:
			list = append(list, fmt.Sprintf("%d()", c.Number))
			if c.Number == syscall.SYS_READ && !alarmed {
				alarmed = true
				go alarmAsleep(p.ID())
			}
		}
	}
}

// alarmAsleep sends SIGALRM to a process as soon as it waits in the kernel. It gives up when the
// process has gone.
func alarmAsleep(pid int) {
	for {
		stat, err := procfs.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return
		}
		if _, state, _ := strings.Cut(stat, ") "); strings.HasPrefix(state, "S") {
			_ = syscall.Kill(pid, syscall.SIGALRM)
			return
		}
		time.Sleep(time.Millisecond)
	}
}
