package recording_test

import (
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestLimits opens a recording with little memory for checkpoints, which are then fewer,
// and with little for the process that replays it, which is an error.
func TestLimits(t *testing.T) {
	sample.Alone(t)
	program := debuggertest.Compile(t, filepath.Join("testdata", "writes.c"), nil, "gcc", "-O2", "-pthread")
	r := open(t, record(t, program, "20").file)
	spacing := r.End() / 16
	counts := make(map[uint64]int)
	for _, budget := range []uint64{1 << 40, 1} {
		line, err := replay.NewTimelineOf(t.Context(), r, replay.Sizes{Window: 1 << 14, Spacing: spacing, Budget: budget, MemoryLimit: 1 << 40})
		check(t, err)
		list := line.Checkpoints()
		counts[budget] = len(list)
		for n, at := range list[1:] {
			if budget > 1 && at-list[n] != spacing || (at-list[0])%spacing != 0 {
				t.Errorf("checkpoints at %v, want distances of %d", list, spacing)
			}
		}
		check(t, line.Close())
	}
	rollup, err := procfs.ReadStatus("/proc/self/smaps_rollup")
	check(t, err)
	told := rollup["Pss_Anon"] != "" // since Linux 5.15
	if all, few := counts[1<<40], counts[1]; all < 14 || told && few > all/2 || few < 1 {
		t.Errorf("%d checkpoints, and %d in a byte", all, few)
	}
	_, err = replay.NewTimelineOf(t.Context(), r, replay.Sizes{Window: 1 << 14, Spacing: spacing, Budget: 1 << 40, MemoryLimit: 1})
	if _, ok := errors.AsType[*replay.LimitError](err); !ok {
		t.Errorf("a replay in a byte of memory: %v", err)
	}
}

// TestWatchedProcess asks which process is watched: that which executes instructions, also
// after an exec, and if it is a fork.
func TestWatchedProcess(t *testing.T) {
	r := open(t, record(t, "/bin/sh", "-c", "exec /bin/true").file)
	onTracer(t, func(tracer *ptrace.Tracer) error {
		p, err := replay.NewPlayer(tracer, r)
		if err != nil {
			return err
		}
		var watched atomic.Int64
		p.Report(&watched)
		at := func(what string, p *replay.Player, position uint64) error {
			err := p.RunTo(t.Context(), position)
			if watched.Load() != int64(p.Runner().Thread()) {
				t.Errorf("%s: process %d is watched, want %d", what, watched.Load(), p.Runner().Thread())
			}
			return err
		}
		first := p.Runner().Thread()
		if err := at("first program", p, 1000); err != nil {
			return err
		}
		half, err := p.Fork()
		if err != nil {
			return err
		}
		err = errors.Join(at("fork", half, 2000), half.EndProcess(), at("after exec", p, r.End()-1))
		if p.Runner().Thread() == first {
			t.Error("there was no exec")
		}
		return errors.Join(err, p.Close())
	})
}
