package recording

import (
	"context"
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// A segment begins at a position where a replay has all that the recorder has: each thread
// is stopped outside of the kernel. So all system calls that wait are withdrawn before, as
// those are that may write memory before another thread runs.

// segment begins a segment of the recording, if it can begin at the position. None begins
// after the program has had shared memory, which a first state would not describe.
func (r *recorder) segment() error {
	if r.gone || r.mappings.shared.sharing || !r.log.atRest() {
		return nil
	}
	if err := r.run.Turns.TakeBackAll(); err != nil {
		return err
	}
	old := r.mappings.files
	if err := r.log.out.BeginSegment(); err != nil {
		return err
	}
	r.mappings.files = newFiles(r.log.out, r.mappings.files.before)
	err := r.addState()
	if err == nil {
		err = r.log.out.EndState()
	}
	reason := cutError("")
	switch {
	case err == nil:
		r.result.First, r.newest = r.newest, r.log.position()
	case errors.Is(err, recfile.ErrNoRoom) || errors.As(err, &reason):
		r.mappings.files = old
		return r.log.out.CancelSegment()
	}
	return err
}

// addState adds the state of the program as an event of kind Image.
func (r *recorder) addState() error {
	e, err := r.state()
	if err != nil {
		return err
	}
	if err := r.log.out.AddExtensions(recfile.OwnExtensions()); err != nil {
		return err
	}
	return errors.Join(r.log.out.Add(&e), r.mappings.files.err)
}

// state returns the state that a replay has at the position.
func (r *recorder) state() (recfile.Event, error) {
	current := r.run.Thread()
	e := recfile.Event{Kind: recfile.Image, Status: r.pid, Position: r.log.position(), Current: current}
	for _, tid := range r.run.Threads() {
		t := r.log.threads[tid]
		regs := t.regs
		switch {
		case tid == current:
			regs = r.run.Regs
		case t.waiting:
			regs = t.after
		}
		vector, err := replay.VectorState(r.tracer, tid)
		if err != nil {
			return e, err
		}
		list := recfile.ChangedRegisters(new(ptrace.Regs), &regs)
		if tid == current {
			e.Registers, e.Vector = list, vector
		} else {
			e.Threads = append(e.Threads, recfile.Thread{ID: tid, Registers: list, Vector: vector})
		}
	}
	maps, err := procfs.ReadMaps(current)
	if err != nil {
		return e, err
	}
	live, err := openLive(r.run.Memory(), maps)
	if err != nil {
		return e, err
	}
	defer live.close()
	for _, m := range maps {
		if own := strings.HasPrefix(m.Path, "[v"); own && r.live == nil || !own && r.run.Reserved(m.Start, m.End-m.Start) {
			continue // the vdso is hidden from a program that was started by the recorder
		}
		if err := r.mappings.files.addLiveMapping(context.Background(), &e, live, m); err != nil {
			return e, err
		}
	}
	return e, nil
}
