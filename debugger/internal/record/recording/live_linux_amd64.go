package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// adopt prepares the recording of a process that has run before, and returns its first event.
func (r *recorder) adopt(ctx context.Context, i *intrusion, l *proc.Loan) (recfile.Event, error) {
	if !slices.Contains(i.threads, i.pid) {
		return recfile.Event{}, cutError("the first thread of the program has ended")
	}
	r.live, r.mappings.heap = i, i.brk
	e := recfile.Event{Kind: recfile.Image, Status: i.pid, Position: r.log.position(), Current: i.pid}
	if slices.Contains(i.threads, l.Current) {
		e.Current = l.Current
	}
	maps, err := procfs.ReadMaps(i.pid)
	if err != nil {
		return e, err
	}
	r.mappings.shared.sharing = slices.ContainsFunc(maps, func(m procfs.Map) bool { return m.Shared })
	if err := r.mappings.files.liveImage(ctx, &e, i, maps); err != nil {
		return e, err
	}
	r.log.threads = make(map[int]*thread)
	for _, tid := range i.threads {
		t := &thread{clear: i.cleared[tid]}
		if err := r.tracer.Regs(tid, &t.regs); err != nil {
			return e, err
		}
		t.waiting, t.after = t.regs.Restarts(), t.regs
		if !t.waiting {
			t.regs.OrigRAX = ptrace.NoSyscall
		}
		r.log.threads[tid] = t
	}
	run, err := inplace.Adopt(r.tracer, i.pid, i.threads, i.inject, translationOf(l))
	if err != nil {
		return e, err
	}
	if err := run.Switch(e.Current); err != nil {
		return e, errors.Join(err, run.Close())
	}
	r.use(run)
	r.log.current, r.log.shown = r.log.threads[e.Current], e.Current
	r.family.follow(run)
	return e, nil
}

// addFirst adds the first event of a program.
func (r *recorder) addFirst(e *recfile.Event) error {
	if r.log.out.Events() == 0 {
		if err := r.log.out.AddExtensions(recfile.OwnExtensions()); err != nil {
			return err
		}
	}
	return errors.Join(r.log.out.Add(e), r.mappings.files.err, r.log.out.FlushFirst())
}

// liveMemory is the memory of a process that has run before. It may have reserved far more
// than it uses, as the sanitizers do, so that only the pages that are there are read.
type liveMemory struct {
	memory *ptrace.Memory
	pages  *ptrace.PageMap
	maps   procfs.Maps
}

func openLive(memory *ptrace.Memory, maps procfs.Maps) (*liveMemory, error) {
	pages, err := ptrace.OpenPageMap(memory.PID())
	return &liveMemory{memory, pages, maps}, err
}

func (l *liveMemory) close() { _ = l.pages.Close() }

// liveImage describes the state of a process that has run before.
func (f *files) liveImage(ctx context.Context, e *recfile.Event, i *intrusion, maps procfs.Maps) error {
	for _, tid := range i.threads {
		var regs ptrace.Regs
		if err := i.tracer.Regs(tid, &regs); err != nil {
			return err
		}
		vector, err := replay.VectorState(i.tracer, tid)
		if err != nil {
			return err
		}
		list := recfile.ChangedRegisters(new(ptrace.Regs), &regs)
		if tid == e.Current {
			e.Registers, e.Vector = list, vector
		} else {
			e.Threads = append(e.Threads, recfile.Thread{ID: tid, Registers: list, Vector: vector})
		}
	}
	live, err := openLive(i.memory, maps)
	if err != nil {
		return err
	}
	defer live.close()
	total := 0
	for _, m := range maps {
		if err := f.addLiveMapping(ctx, e, live, m); err != nil {
			return fmt.Errorf("mapping of %s at %#x: %w", m.Path, m.Start, err)
		}
	}
	for _, w := range e.Writes {
		total += len(w.Data)
	}
	if total > maxSnapshot {
		return cutError("the program has more than a gigabyte of memory of its own")
	}
	return nil
}

// addLiveMapping adds a mapping, and the memory in which it differs from its file.
func (f *files) addLiveMapping(ctx context.Context, e *recfile.Event, live *liveMemory, m procfs.Map) error {
	switch {
	case m.Path == "[vdso]": // a replay has another one
	case strings.HasPrefix(m.Path, "[v"):
		return nil
	case strings.HasPrefix(m.Path, "/"), m.Path == "[stack]":
		return f.addMapping(e, live.memory, m, live.maps)
	}
	e.Mappings = append(e.Mappings, recfile.Mapping{Start: m.Start, Length: m.End - m.Start, Protection: protection(m), File: -1, Name: m.Path})
	return live.addPresent(ctx, e, m)
}

// addPresent adds the pages of a mapping without a file that the process has touched.
func (l *liveMemory) addPresent(ctx context.Context, e *recfile.Event, m procfs.Map) error {
	touched, err := l.pages.Present(ctx, ptrace.Range{Start: m.Start, End: m.End})
	if err != nil {
		return err
	}
	for _, r := range touched {
		if err := addRange(ctx, e, l.memory, r, m.Read); err != nil {
			return err
		}
	}
	return nil
}

// addRange adds the pages of a range that are not zero.
func addRange(ctx context.Context, e *recfile.Event, memory *ptrace.Memory, r ptrace.Range, readable bool) error {
	const chunk = 1 << 20
	for at := r.Start; at < r.End; at += chunk {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b := make([]byte, min(chunk, r.End-at))
		if n, err := memory.Read(at, b); err != nil && readable {
			return fmt.Errorf("read %d of %d bytes: %w", n, len(b), err)
		}
		for _, w := range appendPages(nil, at, b, nil) {
			e.Writes = append(e.Writes, recfile.Write{Address: w.Address, Data: bytes.Clone(w.Data)})
		}
		if len(e.Writes) > maxSnapshot/pageSize {
			return cutError("the program has more than a gigabyte of memory of its own")
		}
	}
	return nil
}

// A halted thread is in an event stop, or in a signal-delivery stop.
type halted map[int]*ptrace.SigInfo

// haltAll stops all threads in their own code, as they would be without a recorder.
func (r *recorder) haltAll() (halted, error) {
	list := make(halted)
	var err error
	for _, tid := range slices.Backward(r.run.Threads()) {
		info, haltErr := r.haltThread(tid)
		if errors.Is(haltErr, ptrace.ErrGone) {
			continue
		}
		list[tid] = info
		err = errors.Join(err, haltErr)
	}
	return list, err
}

func (r *recorder) haltThread(tid int) (*ptrace.SigInfo, error) {
	if err := r.leaveCall(tid); err != nil {
		return nil, err
	}
	info, waits, err := r.run.Park()
	if !waits {
		return nil, err
	}
	return &info, err
}
