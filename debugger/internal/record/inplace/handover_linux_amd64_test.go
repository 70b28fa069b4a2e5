package inplace_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// TestChildRunsOn leaves children without a second tracer: after a while they run on with
// their registers and signal mask.
func TestChildRunsOn(t *testing.T) {
	defer inplace.HandOverIn(20 * time.Millisecond)()
	forker := debuggertest.Compile(t, filepath.Join("testdata", "forker.c"), nil, "gcc", "-O1")
	for _, argv := range [][]string{{forker}, {"/bin/sh", "-c", "(exit 3); x=$(/bin/echo 4); exit $(($? + x + 3))"}} {
		children := 0
		launch(t, argv, func(g *guest) {
			g.Follow = func(inplace.Child) { children++ }
			g.finish(t.Context(), 1_000_000)
			if g.status != 7 || children == 0 {
				t.Errorf("%s has ended with status %d and %d children, want 7", argv[0], g.status, children)
			}
		})
	}
}

// TestChildIsTakenLate takes a child that runs on: that fails, and the child is not changed.
func TestChildIsTakenLate(t *testing.T) {
	defer inplace.HandOverIn(time.Millisecond)()
	launch(t, []string{"/bin/sh", "-c", "exec 2>/dev/null; (while :; do :; done); exit $(($? - 137))"}, func(g *guest) {
		var late error
		g.Follow = func(c inplace.Child) { late = takeLate(t.Context(), c) }
		g.finish(t.Context(), 1_000_000)
		if !errors.Is(late, inplace.ErrRanOn) || g.status != 0 {
			t.Errorf("%v, status %d", late, g.status)
		}
	})
}

// takeLate takes a child that has used some processor time, and kills it.
func takeLate(ctx context.Context, c inplace.Child) (late error) {
	const userTime = 14 // see proc_pid_stat(5)
	for procfs.ThreadStat(c.PID, c.PID, userTime) == "0" {
		time.Sleep(time.Millisecond)
	}
	tracer, err := ptrace.Start()
	if err != nil {
		return err
	}
	defer tracer.Close()
	err = tracer.Do(ctx, func() error {
		late = c.Take(tracer)
		return errors.Join(tracer.Detach(c.PID, 0), unix.Kill(c.PID, unix.SIGKILL))
	})
	return errors.Join(late, err)
}
