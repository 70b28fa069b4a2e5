package history

import (
	"encoding/binary"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
)

// finish appends the record of a completed step.
func (r *Recorder) finish(s Stepper, a *attempt) error {
	regs, err := s.Regs()
	if err != nil {
		return err
	}
	t := &r.view().threads[a.thread]
	h := head{kind: a.kind, thread: a.thread}
	r.buf = appendRegs(appendHead(r.buf[:0], h), &t.regs, regs)
	parts, err := r.finishParts(a, t, regs)
	if err != nil {
		return err
	}
	r.buf[0] |= parts
	t = &r.view().threads[a.thread] // the table may have grown
	t.regs = *regs
	r.view().current = a.thread
	r.history.append(r.buf)
	if a.unrecordable != "" {
		r.restart(a.unrecordable)
	}
	return nil
}

// finishParts appends the parts after the registers and returns their bits.
func (r *Recorder) finishParts(a *attempt, t *thread, regs *ptrace.Regs) (parts byte, err error) {
	if a.effect.Maps || a.before != nil {
		if err := r.remap(a); err != nil {
			return 0, err
		}
	}
	if a.written = 0; a.kind == Called {
		a.written = syscalls.Written(a.number, int64(regs.RAX))
	}
	n, err := r.appendMemory(a)
	if err != nil {
		return 0, err
	}
	if n > 0 {
		parts |= partMemory
	}
	if a.vector {
		n, err := r.appendVectors(t)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			parts |= partVector
		}
	}
	if a.kind != Stepped || a.before != nil || a.switches {
		n, err := r.appendExtras(a, regs)
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
func (r *Recorder) appendMemory(a *attempt) (int, error) {
	at := len(r.buf)
	n := 0
	if !a.differ && a.before == nil {
		if a.absent {
			r.dropAbsent(a)
		}
		if len(a.spans) == 0 {
			return 0, nil
		}
		r.buf = binary.AppendUvarint(r.buf, uint64(len(a.spans)))
		old := a.old
		for _, s := range a.spans {
			r.buf = appendSpan(r.buf, s.Addr, old[:s.Len])
			old = old[s.Len:]
			r.invalidate(s.Addr, s.Len)
		}
		return len(a.spans), nil
	}
	var full error
	saveOld := func(addr uint64, old []byte) {
		if full == nil {
			full = r.reserve(len(old))
		}
		if full != nil {
			return
		}
		r.buf = appendSpan(r.buf, addr, old)
		r.invalidate(addr, uint64(len(old)))
		n++
	}
	if err := errors.Join(r.differences(a, saveOld), r.appendFilled(a, saveOld), full); err != nil {
		return 0, err
	}
	if n > 0 {
		r.buf = insertCount(r.buf, at, n)
	}
	return n, nil
}

// differences calls saveOld for each saved piece of memory that was certainly written, or has
// changed.
func (r *Recorder) differences(a *attempt, saveOld func(uint64, []byte)) error {
	if a.before != nil {
		return r.compare(a.before, saveOld)
	}
	old, left := a.old, a.written
	for _, s := range a.spans {
		n := min(left, s.Len)
		if left -= n; n > 0 {
			saveOld(s.Addr, old[:n])
		}
		if err := r.comparePages(s.Addr+n, old[n:s.Len], saveOld); err != nil {
			return err
		}
		old = old[s.Len:]
	}
	return nil
}

// appendVectors appends the difference of the vector state, if there is one.
func (r *Recorder) appendVectors(t *thread) (int, error) {
	now, err := r.target.XState(t.id, r.vector)
	if err != nil {
		return 0, err
	}
	r.vector = now
	at := len(r.buf)
	b, n := appendVector(r.buf, t.vector, now)
	if r.buf = b; n == 0 {
		r.buf = r.buf[:at]
		return 0, nil
	}
	t.vector = append(t.vector[:0], now...)
	return n, nil
}
