package history

import (
	"encoding/binary"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/memdiff"
)

// A recordWriter makes the records of what has changed.
type recordWriter struct {
	recorder *Recorder
	target   Target
	history  *History
	memory   *memdiff.Copies
	signals  *signalStacks
	room     Room

	buf      []byte     // the record being built
	bufTaken int        // bytes that were taken from the room for it
	vector   []byte     // buffer
	unmapped []x86.Span // memory that was unmapped in this history
}

// finish appends the record of a completed step.
func (rw *recordWriter) finish(s Stepper, a *attempt) error {
	regs, err := s.Regs()
	if err != nil {
		return err
	}
	t := &rw.recorder.view().threads[a.thread]
	h := head{kind: a.kind, thread: a.thread}
	rw.buf = appendRegs(appendHead(rw.buf[:0], h), &t.regs, regs)
	parts, err := rw.finishParts(a, t, regs)
	if err != nil {
		return err
	}
	rw.buf[0] |= parts
	t = &rw.recorder.view().threads[a.thread] // the table may have grown
	t.regs = *regs
	rw.recorder.view().current = a.thread
	rw.history.append(rw.buf)
	if a.unrecordable != "" {
		rw.recorder.restart(a.unrecordable)
	}
	return nil
}

// finishParts appends the parts after the registers and returns their bits.
func (rw *recordWriter) finishParts(a *attempt, t *thread, regs *ptrace.Regs) (parts byte, err error) {
	if a.effect.Maps || a.before != nil {
		if err := rw.remap(a); err != nil {
			return 0, err
		}
	}
	if a.written = 0; a.kind == Called {
		a.written = syscalls.Written(a.number, int64(regs.RAX))
	}
	n, err := rw.appendMemory(a)
	if err != nil {
		return 0, err
	}
	if n > 0 {
		parts |= partMemory
	}
	if a.vector {
		n, err := rw.appendVectors(t)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			parts |= partVector
		}
	}
	if a.kind != Stepped || a.before != nil || a.switches {
		n, err := rw.appendExtras(a, regs)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			parts |= partExtra
		}
	}
	return parts, nil
}

// appendMemory appends the contents that were overwritten and returns the number
// of spans. It appends nothing if there are none.
func (rw *recordWriter) appendMemory(a *attempt) (int, error) {
	at := len(rw.buf)
	n := 0
	if !a.differ && a.before == nil {
		if a.absent {
			rw.dropAbsent(a)
		}
		if len(a.spans) == 0 {
			return 0, nil
		}
		rw.buf = binary.AppendUvarint(rw.buf, uint64(len(a.spans)))
		old := a.old
		for _, s := range a.spans {
			rw.buf = appendSpan(rw.buf, s.Addr, old[:s.Len])
			old = old[s.Len:]
			rw.recorder.invalidate(s.Addr, s.Len)
		}
		return len(a.spans), nil
	}
	var full error
	saveOld := func(addr uint64, old []byte) {
		if full == nil {
			full = rw.reserve(len(old))
		}
		if full != nil {
			return
		}
		rw.buf = appendSpan(rw.buf, addr, old)
		rw.recorder.invalidate(addr, uint64(len(old)))
		n++
	}
	if err := errors.Join(rw.differences(a, saveOld), rw.appendFilled(a, saveOld), full); err != nil {
		return 0, err
	}
	if n > 0 {
		rw.buf = insertCount(rw.buf, at, n)
	}
	return n, nil
}

// differences calls saveOld for each saved piece of memory that was certainly written, or has
// changed.
func (rw *recordWriter) differences(a *attempt, saveOld func(uint64, []byte)) error {
	if a.before != nil {
		return rw.memory.Compare(a.before, saveOld)
	}
	old, left := a.old, a.written
	for _, s := range a.spans {
		n := min(left, s.Len)
		if left -= n; n > 0 {
			saveOld(s.Addr, old[:n])
		}
		if err := rw.memory.ComparePages(s.Addr+n, old[n:s.Len], saveOld); err != nil {
			return err
		}
		old = old[s.Len:]
	}
	return nil
}

// appendVectors appends the difference of the vector state, if there is one.
func (rw *recordWriter) appendVectors(t *thread) (int, error) {
	now, err := rw.target.XState(t.id, rw.vector)
	if err != nil {
		return 0, err
	}
	rw.vector = now
	at := len(rw.buf)
	b, n := appendVector(rw.buf, t.vector, now)
	if rw.buf = b; n == 0 {
		rw.buf = rw.buf[:at]
		return 0, nil
	}
	t.vector = append(t.vector[:0], now...)
	return n, nil
}
