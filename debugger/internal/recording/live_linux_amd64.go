package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// adopt prepares the recording of a process that has run before, and returns its first event.
func (r *recorder) adopt(i *intrusion, l *proc.Loan) (Event, error) {
	if !slices.Contains(i.threads, i.pid) {
		return Event{}, cutError("the first thread of the program has ended")
	}
	r.live, r.heap = i, i.brk
	e := Event{Kind: Image, Status: i.pid, Position: r.position(), Current: i.pid}
	if slices.Contains(i.threads, l.Current) {
		e.Current = l.Current
	}
	if err := r.liveImage(&e, i); err != nil {
		return e, err
	}
	r.threads = make(map[int]*thread)
	for _, tid := range i.threads {
		t := &thread{clear: i.cleared[tid]}
		if err := r.tracer.Regs(tid, &t.regs); err != nil {
			return e, err
		}
		t.waiting, t.after = t.regs.Restarts(), t.regs
		if !t.waiting {
			t.regs.OrigRAX = ptrace.NoSyscall
		}
		r.threads[tid] = t
	}
	run, err := inplace.Adopt(r.tracer, i.pid, i.threads, i.inject, translationOf(l))
	if err != nil {
		return e, err
	}
	if err := run.Switch(e.Current); err != nil {
		return e, errors.Join(err, run.Close())
	}
	r.run, r.thread, r.shown = run, r.threads[e.Current], e.Current
	r.family.follow(run)
	return e, nil
}

// addFirst adds the first event of a program.
func (r *recorder) addFirst(e *Event) error {
	if r.out.events == 0 {
		if err := r.out.addExtensions(ownExtensions()); err != nil {
			return err
		}
	}
	return errors.Join(r.out.Add(e), r.files.err)
}

// liveImage describes the state of a process that has run before.
func (r *recorder) liveImage(e *Event, i *intrusion) error {
	for _, tid := range i.threads {
		var regs ptrace.Regs
		if err := r.tracer.Regs(tid, &regs); err != nil {
			return err
		}
		vector, err := vectorState(r.tracer, tid)
		if err != nil {
			return err
		}
		list := changed(new(ptrace.Regs), &regs)
		if tid == e.Current {
			e.Registers, e.Vector = list, vector
		} else {
			e.Threads = append(e.Threads, Thread{tid, list, vector})
		}
	}
	maps, err := readMaps(i.pid)
	if err != nil {
		return err
	}
	total := 0
	for _, m := range maps {
		r.sharing = r.sharing || m.Shared
		if err := r.addLiveMapping(e, i.memory, m, maps); err != nil {
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
func (r *recorder) addLiveMapping(e *Event, memory *ptrace.Memory, m procfs.Map, maps procfs.Maps) error {
	switch {
	case m.Path == "[vdso]": // a replay has another one
	case strings.HasPrefix(m.Path, "[v"):
		return nil
	case strings.HasPrefix(m.Path, "/"), m.Path == "[stack]":
		return r.addMapping(e, memory, m, maps)
	}
	e.Mappings = append(e.Mappings, Mapping{Start: m.Start, Length: m.End - m.Start, Protection: protection(m), File: -1, Name: m.Path})
	return addPresent(e, memory, m)
}

// addPresent adds the pages of a mapping without a file that the process has touched.
func addPresent(e *Event, memory *ptrace.Memory, m procfs.Map) error {
	pages, err := os.Open("/proc/" + strconv.Itoa(memory.PID()) + "/pagemap")
	if err != nil {
		return err
	}
	defer func() { _ = pages.Close() }()
	const chunk = 1 << 28
	for at := m.Start; at < m.End; at += chunk {
		touched, err := touchedPages(pages, at, min(chunk, m.End-at))
		if err != nil {
			return err
		}
		for _, r := range touched {
			if err := addRange(e, memory, r, m.Read); err != nil {
				return err
			}
		}
	}
	return nil
}

// addRange adds the pages of a range that are not zero.
func addRange(e *Event, memory *ptrace.Memory, r ptrace.Range, readable bool) error {
	const chunk = 1 << 20
	for at := r.Start; at < r.End; at += chunk {
		b := make([]byte, min(chunk, r.End-at))
		if n, err := memory.Read(at, b); err != nil && readable {
			return fmt.Errorf("read %d of %d bytes: %w", n, len(b), err)
		}
		for _, w := range appendPages(nil, at, b, nil) {
			e.Writes = append(e.Writes, Write{w.Address, bytes.Clone(w.Data)})
		}
		if len(e.Writes) > maxSnapshot/pageSize {
			return cutError("the program has more than a gigabyte of memory of its own")
		}
	}
	return nil
}

// touchedPages returns the pages in a range that are in memory or swapped out, see
// pagemap(5).
func touchedPages(pages *os.File, start, length uint64) ([]ptrace.Range, error) {
	b := make([]byte, length/pageSize*8)
	if _, err := pages.ReadAt(b, int64(start/pageSize*8)); err != nil {
		return nil, err
	}
	var touched []ptrace.Range
	for at := start; len(b) > 0; b, at = b[8:], at+pageSize {
		const present, swapped = 1 << 63, 1 << 62
		if binary.LittleEndian.Uint64(b)&(present|swapped) == 0 {
			continue
		}
		if n := len(touched); n > 0 && touched[n-1].End == at {
			touched[n-1].End += pageSize
		} else {
			touched = append(touched, ptrace.Range{Start: at, End: at + pageSize})
		}
	}
	return touched, nil
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
