package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/memdiff"
)

// rewindToEarlier is Rewind to a position before the own records. The view is one of another process,
// so that all writable memory is compared.
func (r *Recorder) rewindToEarlier(ctx context.Context) error {
	h, position := r.history, r.view().position
	earlier := h.earlier
	if err := errors.Join(earlier.CheckCut(position), r.rewinder.checkEarlier()); err != nil {
		return &RewindError{err.Error()}
	}
	maps, err := r.target.Maps()
	if err != nil {
		return err
	}
	current := r.view().Thread()
	err = r.target.Step(ctx, 0, func(s Stepper) error {
		return errors.Join(r.rewinder.writeAll(s, maps), s.Switch(current))
	})
	if err != nil {
		r.invalidateCode()
		return fmt.Errorf("go back: %w", err)
	}
	if err := h.leave(); err != nil {
		return err
	}
	h.enter(h.own)
	earlier.Cut(position)
	if first, last := earlier.Bounds(); first != last {
		return r.follow(earlier, h.Steps.reason)
	}
	h.dropEarlier(nil)
	h.own.log.clear(position)
	return r.Restart(position, h.Steps.reason)
}

// writeAll writes the state of the view to the process. If that fails, it restores what was
// written before.
func (w *rewinder) writeAll(s Stepper, maps procfs.Maps) error {
	if err := w.recorder.view().checkBase(); err != nil {
		return err
	}
	err := w.writeMaps(maps)
	v := w.recorder.view()
	for i := range v.threads {
		t := &v.threads[i]
		if err != nil || !t.alive {
			continue
		}
		if t.vector == nil {
			t.vector, err = v.XState(t.id, nil)
		}
		if t.regs.OrigRAX = ptrace.NoSyscall; err == nil {
			err = w.writeThread(s, t)
		}
	}
	return w.end(err)
}

// writeMaps writes the memory of the view where it differs from that of the process.
func (w *rewinder) writeMaps(maps procfs.Maps) error {
	then, now := make([]byte, memdiff.CompareStep), make([]byte, memdiff.CompareStep)
	for _, m := range maps {
		if !m.Write || m.Shared {
			continue
		}
		for addr := m.Start; addr < m.End; addr += memdiff.CompareStep {
			n := min(memdiff.CompareStep, m.End-addr)
			err := w.readThen(addr, then[:n], m.Path == "[stack]")
			if err == nil {
				err = w.writeRange(addr, then[:n], now[:n])
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// readThen reads memory of the view. Pages that cannot be read are zero if the stack was not so
// large, or if they cannot be read at the present either.
func (w *rewinder) readThen(addr uint64, b []byte, stack bool) error {
	return readPages(w.recorder.view().ReadMemory, addr, b, func(at uint64, err error) error {
		if _, ok := errors.AsType[*ptrace.AccessError](err); !ok {
			return err
		}
		if _, now := w.target.ReadMemory(at, make([]byte, 1)); !stack && now == nil {
			return err
		}
		return w.recorder.view().checkBase()
	})
}

// checkBase returns why the base cannot be read at all: memory of a process that has ended
// looks as if it had never been there.
func (v *View) checkBase() error {
	_, err := v.base.ReadMemory(v.PC(), make([]byte, 1))
	return err
}

// readPages reads memory. It calls missing for each page that cannot be read, which is zero
// unless that returns an error.
func readPages(read func(uint64, []byte) (int, error), addr uint64, b []byte, missing func(at uint64, err error) error) error {
	for {
		n, err := read(addr, b)
		if n == len(b) {
			return nil
		}
		addr, b = addr+uint64(n), b[n:]
		if err := missing(addr, err); err != nil {
			return err
		}
		skip := min(uint64(len(b)), pageSize-addr%pageSize)
		clear(b[:skip])
		if addr, b = addr+skip, b[skip:]; len(b) == 0 {
			return nil
		}
	}
}

// writeRange writes a range of memory, page by page.
func (w *rewinder) writeRange(addr uint64, then, now []byte) error {
	if err := w.memory.ReadOrZero(addr, now); err != nil {
		return err
	}
	var failed error
	memdiff.EachPage(addr, now, then, func(at uint64, old []byte) {
		if failed != nil {
			return
		}
		failed = w.replace(at, slices.Clone(old), then[at-addr:][:len(old)])
	})
	return failed
}

// checkEarlier returns why the process cannot be set back to the view.
func (w *rewinder) checkEarlier() error {
	if w.recorder.shadowStack {
		return errors.New(noShadowStack)
	}
	changed, err := w.threadsChanged()
	if err != nil {
		return err
	}
	if changed != "" {
		return errors.New(changed)
	}
	v := w.recorder.view()
	for i := range v.threads {
		if t := &v.threads[i]; t.alive && interruptedCall(t.regs.RAX) {
			return fmt.Errorf("thread %d was in an interrupted system call", t.id)
		}
	}
	maps, err := w.target.Maps()
	if err != nil {
		return err
	}
	removed, added := differMaps(joined(v.maps), joined(maps))
	if len(removed)+len(added) > 0 {
		m := append(added, removed...)[0]
		return fmt.Errorf("the mappings have changed since, as that at %#x-%#x", m.Start, m.End)
	}
	return nil
}

// interruptedCall reports whether a result is one after which the kernel restarts a system
// call (ERESTARTSYS and the like). To restart it, its number would have to be known.
func interruptedCall(result uint64) bool { return -516 <= int64(result) && int64(result) <= -512 }

// joined returns the ranges of memory and their protections, without the kernel's own and
// those of stacks, which grow. Names and files are left out, adjacent ranges are joined.
func joined(maps procfs.Maps) procfs.Maps {
	var list procfs.Maps
	for _, m := range maps {
		if strings.HasPrefix(m.Path, "[v") || m.Path == "[stack]" {
			continue
		}
		m = procfs.Map{Start: m.Start, End: m.End, Read: m.Read, Write: m.Write, Execute: m.Execute, Shared: m.Shared}
		if n := len(list); n > 0 && list[n-1].End == m.Start && list[n-1] == (procfs.Map{
			Start: list[n-1].Start, End: m.Start, Read: m.Read, Write: m.Write, Execute: m.Execute, Shared: m.Shared,
		}) {
			list[n-1].End = m.End
			continue
		}
		list = append(list, m)
	}
	return list
}
