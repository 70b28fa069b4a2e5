package replay

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
)

// Limits of checkpoints. There is always one.
const (
	maxCheckpoints  = 96
	checkpointBytes = 1 << 30
)

// replay replays the whole recording and makes the checkpoints.
func (t *Timeline) replay(ctx context.Context) error {
	p, err := NewPlayer(t.tracer, t.recording)
	if err != nil {
		return err
	}
	p.Report(&t.replaying)
	p.noteRunning()
	if err = p.RunTo(ctx, t.first); err != nil {
		return errors.Join(err, p.Close())
	}
	phase := worktime.Of(ctx).Phase(t.last - t.first)
	defer phase.Close()
	for p.Position()+t.sizes.Spacing/2 < t.last || len(t.checkpoints) == 0 {
		if err := t.addCheckpoint(p); err != nil {
			return errors.Join(err, p.Close())
		}
		if err := p.RunTo(ctx, min(p.Position()+t.sizes.Spacing, t.last)); err != nil {
			return errors.Join(err, p.Close())
		}
		phase.At(p.Position() - t.first)
	}
	return errors.Join(p.Finish(ctx), p.EndProcess())
}

// addCheckpoint makes a checkpoint. If the system permits no more processes, or the
// checkpoints have too much memory, each second one ends.
func (t *Timeline) addCheckpoint(p *Player) error {
	if err := t.checkMemory(p.run.Thread()); err != nil {
		return err
	}
	c, err := p.Fork()
	if err != nil && len(t.checkpoints) > 1 && (errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.ENOMEM)) {
		return t.thin()
	}
	if err != nil {
		return err
	}
	t.checkpoints = append(t.checkpoints, c)
	for n := len(t.checkpoints); n > 1 && n%measureEvery == 0 && t.memory() > t.sizes.Budget; n = len(t.checkpoints) {
		if err := t.thin(); err != nil {
			return err
		}
	}
	return nil
}

// measureEvery is the number of checkpoints after which their memory is measured: it costs
// as much as some of them.
const measureEvery = 4

// thin ends each second checkpoint, but not the first, and makes the next ones at twice the
// distance.
func (t *Timeline) thin() error {
	var err error
	kept := t.checkpoints[:0]
	for n, c := range t.checkpoints {
		if n%2 == 0 {
			kept = append(kept, c)
		} else {
			err = errors.Join(err, c.EndProcess())
		}
	}
	clear(t.checkpoints[len(kept):])
	t.checkpoints, t.sizes.Spacing = slices.Clip(kept), 2*t.sizes.Spacing
	return err
}

// memory returns the bytes of anonymous memory that the checkpoints have: of what several
// processes share, each has a part. It is 0 if the system does not tell.
func (t *Timeline) memory() (bytes uint64) {
	for _, c := range t.checkpoints {
		rollup, _ := procfs.ReadStatus("/proc/" + strconv.Itoa(c.run.Thread()) + "/smaps_rollup")
		kib, _ := strconv.ParseUint(strings.TrimSuffix(rollup["Pss_Anon"], " kB"), 10, 64)
		bytes += kib << 10
	}
	return bytes
}

// checkpointBefore returns the index of the last checkpoint that is not after a position.
func (t *Timeline) checkpointBefore(position uint64) int {
	return sort.Search(len(t.checkpoints), func(n int) bool { return t.checkpoints[n].Position() > position }) - 1
}
