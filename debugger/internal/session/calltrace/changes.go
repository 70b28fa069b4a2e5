package calltrace

import (
	"encoding/binary"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/locals"
)

// Limits of the memory that is shown of one visit.
const (
	maxWrites     = 8
	maxVisitSteps = 1 << 20 // of visits whose writes are searched
	maxChanges    = 12
)

// A write is memory that a visit wrote.
type write struct {
	addr, size    uint64
	first, last   uint64 // positions of its first and last write
	before, after uint64
}

// changes returns the variables and the other memory that a visit changed. At
// the last visit of a call the variables are read before the final return.
func (t *tracer) changes(v *visit) ([]Change, error) {
	begin := v.from
	if begin < t.body && t.body < v.to {
		begin = t.body // before it the arguments are not stored yet
	}
	if err := t.seek(begin); err != nil {
		return nil, err
	}
	before := locals.Read(t.frame())
	writes, err := t.writes(v)
	if err != nil {
		return nil, err
	}
	end := v.to
	if end == t.end && t.ended {
		end = t.last
	}
	if err := t.seek(end); err != nil {
		return nil, err
	}
	after := locals.Read(t.frame())
	all := differences(before, after)
	gone, err := t.outOfScope(before, after, end)
	if err != nil {
		return nil, err
	}
	all = append(all, gone...)
	for _, w := range writes {
		if !covered(all, w) && w.before != w.after {
			all = append(all, Change{t.memoryName(w), numberText(w.before, w.size), numberText(w.after, w.size), w.addr})
		}
	}
	if len(all) > maxChanges {
		all = all[:maxChanges]
	}
	return all, nil
}

// outOfScope returns the changes of variables whose scope ends with a visit. They
// are read before its last step.
func (t *tracer) outOfScope(before, after *locals.List, end uint64) ([]Change, error) {
	missing := &locals.List{}
	for _, leaf := range before.All {
		if _, ok := after.Find(leaf.Name); !ok {
			missing.All = append(missing.All, leaf)
		}
	}
	if len(missing.All) == 0 || end == 0 {
		return nil, nil
	}
	if err := t.seek(end - 1); err != nil {
		return nil, err
	}
	last := locals.Read(t.frame())
	var all []Change
	for _, was := range missing.All {
		if now, ok := last.Find(was.Name); ok && now.Text != was.Text {
			all = append(all, Change{was.Name, was.Text, now.Text, now.Addr})
		}
	}
	return all, nil
}

// covered reports whether a change of a variable shows a write.
func covered(changes []Change, w *write) bool {
	for _, c := range changes {
		if c.addr != 0 && w.addr <= c.addr && c.addr < w.addr+w.size || c.addr != 0 && c.addr <= w.addr && w.addr < c.addr+8 {
			return true
		}
	}
	return false
}

// writes returns the memory that the function itself wrote in a visit, without
// its own stack frame.
func (t *tracer) writes(v *visit) ([]*write, error) {
	if v.to-v.from > maxVisitSteps {
		return nil, nil
	}
	h := t.code.s.Target.History
	var all []*write
	next := 0 // call
	err := h.Steps.Transitions(t.ctx, v.from, v.to, func(tr *history.Transition) bool {
		for next < len(v.calls) && t.calls[v.calls[next]].to != 0 && t.calls[v.calls[next]].to <= tr.Position {
			next++
		}
		inside := next < len(v.calls) && t.calls[v.calls[next]].from <= tr.Position
		on := t.at(tr.Position)
		if !tr.Memory || inside || tr.Thread != on.thread {
			return true
		}
		h.Steps.Written(tr.Position, func(addr, n uint64) {
			if own := addr <= t.slot+on.moved && addr+redZone >= tr.NextSP; !own && n <= 8 {
				all = addWrite(all, addr, n, tr.Position)
			}
		})
		return len(all) < maxWrites
	})
	if err != nil {
		return nil, err
	}
	return all, t.readWrites(all)
}

func addWrite(all []*write, addr, n, position uint64) []*write {
	for _, w := range all {
		if w.addr == addr && w.size == n {
			w.last = position
			return all
		}
	}
	return append(all, &write{addr: addr, size: n, first: position, last: position})
}

// readWrites reads the values before and after writes.
func (t *tracer) readWrites(all []*write) error {
	for _, w := range all {
		if err := t.seek(w.first); err != nil {
			return err
		}
		w.before = t.read(w)
		if err := t.seek(w.last + 1); err != nil {
			return err
		}
		w.after = t.read(w)
	}
	return nil
}

func (t *tracer) read(w *write) uint64 {
	var b [8]byte
	_, _ = t.code.s.Target.View.ReadMemory(w.addr, b[:w.size]) // zero if it cannot be read
	return binary.LittleEndian.Uint64(b[:])
}

// memoryName names written memory.
func (t *tracer) memoryName(w *write) string {
	if leaf, ok := locals.GlobalAt(t.ctx, t.code.s.Inspector.Program, t.code.s.Target.Memory(), w.addr, nil); ok {
		return leaf.Name
	}
	if name := t.code.s.Inspector.Symbol(w.addr); name != "" {
		return name
	}
	return fmt.Sprintf("*(%d bytes) %#x", w.size, w.addr)
}

// numberText formats a value of some bytes: small numbers in decimal.
func numberText(v, size uint64) string {
	const small = 1 << 20
	signed := int64(v<<(64-8*size)) >> (64 - 8*size)
	if signed > -small && signed < small {
		return fmt.Sprint(signed)
	}
	return fmt.Sprintf("%#x", v)
}
