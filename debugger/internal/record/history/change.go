package history

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// WriteMemory moves the view to the present, writes memory of the process and
// records the change.
func (r *Recorder) WriteMemory(addr uint64, b []byte) (int, error) {
	if err := r.ready(); err != nil || len(b) == 0 {
		return 0, err
	}
	old := make([]byte, len(b))
	if n, err := r.target.ReadMemory(addr, old); err != nil {
		return 0, fmt.Errorf("read what is there, %d of %d bytes: %w", n, len(old), err)
	}
	n, err := r.target.WriteMemory(addr, b)
	if n == 0 {
		return n, err
	}
	r.invalidate(addr, uint64(n))
	var none ptrace.Regs
	h := head{kind: Changed, parts: partMemory, thread: r.view().current}
	r.records.buf = appendNumber(appendRegs(appendHead(r.records.buf[:0], h), &none, &none), 1)
	r.records.buf = appendSpan(r.records.buf, addr, old[:n])
	r.history.append(r.records.buf)
	return n, err
}

// SetRegs moves the view to the present, replaces the registers of a thread and
// records the change.
func (r *Recorder) SetRegs(thread int, regs ptrace.Regs) error {
	if err := r.ready(); err != nil {
		return err
	}
	if err := r.target.SetRegs(thread, regs); err != nil {
		return err
	}
	i := r.chosen(thread)
	t := &r.view().threads[i]
	r.records.buf = appendRegs(appendHead(r.records.buf[:0], head{kind: Changed, thread: i}), &t.regs, &regs)
	t.regs = regs
	r.history.append(r.records.buf)
	return nil
}

// SetXState moves the view to the present, replaces the vector state of a
// thread and records the change.
func (r *Recorder) SetXState(thread int, state []byte) error {
	if err := r.ready(); err != nil {
		return err
	}
	i := r.chosen(thread)
	t := &r.view().threads[i]
	if err := r.loadVectorState(t); err != nil {
		return err
	}
	if err := r.target.SetXState(t.id, state); err != nil {
		return err
	}
	var none ptrace.Regs
	r.records.buf = appendRegs(appendHead(r.records.buf[:0], head{kind: Changed, parts: partVector, thread: i}), &none, &none)
	r.records.buf, _ = appendVector(r.records.buf, t.vector, state)
	t.vector = append([]byte(nil), state...)
	r.history.append(r.records.buf)
	return nil
}

// chosen returns the index of a living thread, of the current one for 0.
func (r *Recorder) chosen(thread int) int {
	if thread == 0 {
		return r.view().current
	}
	return r.index(thread)
}

// ready moves the view to the present.
func (r *Recorder) ready() error {
	if _, err := r.history.Seek(r.history.End()); err != nil {
		return err
	}
	return r.refresh()
}
