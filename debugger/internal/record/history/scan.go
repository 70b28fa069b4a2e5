package history

import (
	"cmp"
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Transition describes a record by the registers of its thread. It is valid
// during the call that it is passed to.
type Transition struct {
	Position uint64 // before the step
	Kind     Kind
	Thread   int
	PC, SP   uint64 // before the step
	NextPC   uint64 // after it
	NextSP   uint64
	Memory   bool // the step wrote memory
	Vectors  bool // the step changed vector state
	Ordinary bool // only Position, Thread and PC are known: the step is none that was looked for

	mask uint64 // of changed registers, as in the record
}

// Changed reports whether the step changed a general register.
func (t *Transition) Changed(reg x86.Reg) bool { return t.mask>>gprBits[reg&15]&1 != 0 }

// bitSP is the bit of rsp in a record's mask.
const bitSP = 2

// Transitions calls f with the records from one position to another, in order,
// until it returns false. It does not move the view and does not read memory,
// so that a record costs a fraction of what it costs to move over it.
func (st *Steps) Transitions(ctx context.Context, from, to uint64, f func(*Transition) bool) error {
	defer st.request.Within(ctx)()
	to = min(to, st.end())
	defer st.request.phase(to - min(from, to))()
	s, err := st.newScan(ctx, from)
	if err != nil {
		return err
	}
	for s.position < to {
		if s.position%checkEvery == 0 {
			st.request.passed(s.position - from)
		}
		if err := s.forward(); err != nil {
			return err
		}
		if !f(&s.t) {
			return nil
		}
	}
	return nil
}

// TransitionsBack calls f with the records before a position, the last one
// first, until it returns false.
func (st *Steps) TransitionsBack(ctx context.Context, from uint64, f func(*Transition) bool) error {
	defer st.request.Within(ctx)()
	oldest := st.oldest()
	defer st.request.phase(from - min(from, oldest))()
	s, err := st.newScan(ctx, from)
	if err != nil {
		return err
	}
	for s.position > oldest {
		if s.position%checkEvery == 0 {
			st.request.passed(from - s.position)
		}
		if err := s.backward(); err != nil {
			return err
		}
		if !f(&s.t) {
			return nil
		}
	}
	return nil
}

// A scan follows program counters and stack pointers through the records.
type scan struct {
	st       *Steps
	w        *Records        // that has the position, see holder
	ctx      context.Context //nolint:containedctx // it lives as long as one call
	position uint64
	pc, sp   []uint64 // of the threads in the table
	t        Transition

	chunk *chunk
	at    int // index in chunk of the record at position
}

// newScan returns a scan at a position, which must be recorded.
func (st *Steps) newScan(ctx context.Context, position uint64) (*scan, error) {
	if position < st.oldest() || position > st.end() {
		return nil, st.beginning(0)
	}
	s := &scan{st: st, ctx: ctx}
	return s, s.enter(min(position, max(st.end(), 1)-1), position)
}

// enter goes to a position in the history that has a record, from its view.
func (s *scan) enter(record, position uint64) (err error) {
	if s.w, err = s.st.holder(record); err != nil {
		return err
	}
	v := s.w.view
	s.position, s.chunk, s.pc, s.sp = v.position, nil, nil, nil
	for i := range v.threads {
		s.pc = append(s.pc, v.threads[i].regs.RIP)
		s.sp = append(s.sp, v.threads[i].regs.RSP)
	}
	for s.position < position {
		if err := s.forward(); err != nil {
			return err
		}
	}
	for s.position > position {
		if err := s.backward(); err != nil {
			return err
		}
	}
	return nil
}

// forward applies the record at the position.
func (s *scan) forward() error {
	if s.chunk == nil || s.at >= len(s.chunk.ends) {
		if err := s.reach(s.position); err != nil {
			return err
		}
		s.chunk, s.at = s.w.log.at(s.position)
	}
	err := s.apply(s.chunk.record(s.at), false)
	s.position++
	s.at++
	return err
}

// backward undoes the record before the position.
func (s *scan) backward() error {
	if s.chunk == nil || s.at == 0 {
		if err := s.reach(s.position - 1); err != nil {
			return err
		}
		s.chunk, s.at = s.w.log.at(s.position - 1)
		s.at++
	}
	s.position--
	s.at--
	return s.apply(s.chunk.record(s.at), true)
}

// reach enters the history with a record next to the position, unless the scan is there.
func (s *scan) reach(record uint64) error {
	if s.w.log.has(record) {
		return nil
	}
	return s.enter(record, s.position)
}

// apply applies or undoes a record and describes it in s.t.
func (s *scan) apply(record []byte, back bool) error {
	if s.position%checkEvery == 0 && s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	d := decoder{b: record}
	head := d.head(len(s.pc))
	if d.bad {
		return cmp.Or(s.st.takeFailure(), ErrCorrupt)
	}
	i := head.thread
	mask := d.uvarint()
	pc, sp := d.pointers(mask)
	t := &s.t
	t.Position, t.Kind, t.Thread, t.mask = s.position, head.kind, s.w.view.threads[i].id, mask
	t.Memory, t.Vectors = head.parts&partMemory != 0, head.parts&partVector != 0
	if back {
		pc, sp = -pc, -sp
	}
	before, beforeSP := s.pc[i], s.sp[i]
	s.pc[i], s.sp[i] = before+pc, beforeSP+sp
	if head.parts&partExtra != 0 {
		s.applyOthers(record, back) // those of an unrecorded run are all there
	}
	t.PC, t.SP, t.NextPC, t.NextSP = before, beforeSP, s.pc[i], s.sp[i]
	if back {
		t.PC, t.SP, t.NextPC, t.NextSP = t.NextPC, t.NextSP, t.PC, t.SP
	}
	return nil
}

// pointers reads the differences of rip and rsp, which are among the first.
func (d *decoder) pointers(mask uint64) (pc, sp uint64) {
	if mask&(1<<bitRIP) != 0 {
		pc = unzigzag(d.uvarint())
	}
	if mask&(1<<bitSP) == 0 {
		return pc, 0
	}
	if mask&(1<<bitFlags) != 0 {
		d.uvarint()
	}
	return pc, unzigzag(d.uvarint())
}

// applyOthers applies or undoes the changes of other threads in a record.
func (s *scan) applyOthers(record []byte, back bool) {
	extraOf(record, len(s.pc), func(tag byte, p *decoder) {
		if tag != extraOther {
			return
		}
		i := p.index(len(s.pc))
		pc, sp := p.pointers(p.uvarint())
		if back {
			pc, sp = -pc, -sp
		}
		s.pc[i] += pc
		s.sp[i] += sp
		p.b = nil
	})
}
