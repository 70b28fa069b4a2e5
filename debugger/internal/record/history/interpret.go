package history

import (
	"encoding/binary"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/memdiff"
)

// An interpreter executes instructions in this program, on copies of the
// process's pages, until it meets an instruction that it does not support. That
// is hundreds of times faster than single-stepping. Its results are committed to
// the process before the next single step.
type interpreter struct {
	r       *Recorder
	machine *interp.Machine
	pages   map[uint64]*interp.Page // the machine's pages by number
	stale   map[uint64]struct{}     // pages that the process has written since they were loaded
	full    bool                    // there were more than maxPages
	ahead   bool                    // the machine has results that are not committed
	thread  int                     // index of the thread that steps
	layout  xsave.Layout
	vectors bool // the uncommitted results include vector state
	changes []vectorChange
	patches []proc.Patch // memory to commit
	from    *ptrace.Regs // at the start of a stretch, until its first record
	part    []byte
	diffs   [32]uint64 // differences of registers, by their bits in a record's mask
}

// maxAhead limits the steps that are interpreted before a single step, which
// checks for pauses.
const maxAhead = 1 << 17

func newInterpreter(r *Recorder) *interpreter {
	p := &interpreter{
		r: r, pages: make(map[uint64]*interp.Page), stale: make(map[uint64]struct{}), layout: xsave.Machine(),
	}
	p.machine = interp.New(p)
	p.machine.RefuseRepeats = r.options.WholeRepeats
	p.machine.UseVectors(p.loadVectors)
	return p
}

// maxPages limits the cached pages. When there are more, all are dropped.
const maxPages = 1 << 14

// Load implements interp's loader. It refuses memory that others may write, so
// that instructions which use it are single-stepped.
func (p *interpreter) Load(addr uint64, page *interp.Page) bool {
	m, ok := p.r.view().maps.Find(addr)
	if !ok || m.Shared || !m.Read {
		return false
	}
	if len(p.pages) >= maxPages {
		p.full = true
		return false
	}
	if p.awaited(x86.Span{Addr: addr, Len: interp.PageSize}) {
		return false
	}
	if n, _ := p.r.target.ReadMemory(addr, page.Data[:]); n != interp.PageSize {
		return false
	}
	page.Writable, page.Executable = m.Write, m.Execute
	p.pages[addr/pageSize] = page
	return true
}

// awaited reports whether the kernel may write to a piece of memory at any time,
// because it is a buffer of a blocked system call.
func (p *interpreter) awaited(piece x86.Span) bool {
	for _, a := range p.r.attempts.pending {
		for _, s := range a.spans {
			if _, _, ok := memdiff.Overlap(piece, s); ok {
				return true
			}
		}
	}
	return false
}

// uncertain reports whether a thread is blocked in a system call whose writes
// are unknown.
func (p *interpreter) uncertain() bool {
	for _, a := range p.r.attempts.pending {
		if a.before != nil || a.unrecordable != "" {
			return true
		}
	}
	return false
}

// dropPages drops all copies, because the process has run or its mappings have
// changed.
func (p *interpreter) dropPages() {
	if len(p.pages) > 0 {
		p.machine.DropPages()
		clear(p.pages)
	}
	clear(p.stale)
	p.full = false
}

// invalidate marks pages that the process has written.
func (p *interpreter) invalidate(addr, n uint64) {
	for number := addr / pageSize; number <= (addr+n-1)/pageSize; number++ {
		if _, ok := p.pages[number]; ok {
			p.stale[number] = struct{}{}
		}
	}
}

// catchUp reads the marked pages again.
func (p *interpreter) catchUp() error {
	var data page
	for number := range p.stale {
		if n, err := p.r.target.ReadMemory(number*pageSize, data[:]); n != pageSize {
			return fmt.Errorf("read page %#x again: %w", number*pageSize, err)
		}
		p.machine.Refresh(number*pageSize, data[:])
		delete(p.stale, number)
	}
	return nil
}

// interpretAhead interprets a stretch of steps, until one must be single-stepped.
// The first step after a system call is single-stepped, because signals that
// the call raised are delivered before it.
func (n *run) interpretAhead() error {
	p, id := n.r.interpreter, n.s.Thread()
	if p == nil || n.r.shadowStack || n.s.Signal() != 0 || n.r.attempts.pending[id] != nil || n.r.attempts.returning[id] || n.s.Pending(id) || p.uncertain() {
		return nil
	}
	regs, err := n.s.Regs()
	i := n.r.index(id)
	if err != nil || i < 0 || regs.Restarts() {
		return nil //nolint:nilerr // the single step reports the error
	}
	if err := p.catchUp(); err != nil || p.full {
		p.dropPages()
	}
	t := &n.r.view().threads[i]
	p.thread = i
	Addressing(regs, &p.machine.Regs)
	p.machine.RIP = regs.RIP
	p.machine.InvalidateVectors()
	return n.commitInterpreted(p, t, n.interpret(p, t, i, regs))
}

// interpret makes the steps and returns their number.
func (n *run) interpret(p *interpreter, t *thread, index int, regs *ptrace.Regs) int {
	p.machine.Flags = regs.EFlags
	p.from = regs
	done := 0
	for ; done < maxAhead && n.result.Why == 0 && p.machine.Step(); done++ {
		p.ahead = true
		p.record(t)
		n.r.view().current = index
		n.countStep()
	}
	return done
}

// record appends the record of an interpreted step.
func (p *interpreter) record(t *thread) {
	h := head{kind: Stepped, thread: p.thread}
	writes := p.machine.Writes()
	if len(writes) > 0 {
		h.parts |= partMemory
	}
	p.takeVectors(t)
	if len(p.changes) > 0 {
		h.parts |= partVector
	}
	b := p.appendRegs(appendHead(p.r.records.buf[:0], h), t)
	if len(writes) > 0 {
		b = p.appendWrites(b, writes)
	}
	if len(p.changes) > 0 {
		b = appendChanges(b, p.changes)
	}
	p.r.records.buf = b
	p.r.history.append(b)
}

// appendRegs appends the difference of the registers and updates those of the
// thread. The first step of a stretch includes changes since the last record,
// such as those the kernel makes when a thread stops in a system call.
func (p *interpreter) appendRegs(b []byte, t *thread) []byte {
	if p.from == nil {
		return p.appendStep(b, t.regs.Words())
	}
	old := t.regs
	t.regs = *p.from
	p.from = nil
	t.regs.EFlags = p.machine.Flags
	p.part = p.appendStep(p.part[:0], t.regs.Words())
	return appendRegs(b, &old, &t.regs)
}

// appendWrites appends the contents that a step has overwritten. Adjacent writes
// become one span.
func (p *interpreter) appendWrites(b []byte, writes []interp.Write) []byte {
	at, pieces := len(b), 0
	for len(writes) > 0 {
		n := adjacent(writes)
		var old [maxPiece]byte
		length := 0
		for _, w := range writes[:n] {
			binary.LittleEndian.PutUint64(old[length:], w.Old)
			length += int(w.Size)
		}
		b = appendSpan(b, writes[0].Addr, old[:length])
		p.r.code.invalidate(writes[0].Addr, uint64(length))
		writes = writes[n:]
		pieces++
	}
	return insertCount(b, at, pieces)
}

// maxPiece is the maximum size of a vector write plus one quadword.
const maxPiece = 64 + 8

// adjacent returns the number of leading writes that are contiguous.
func adjacent(writes []interp.Write) int {
	end, total := writes[0].Addr, 0
	for n, w := range writes {
		if total += int(w.Size); w.Addr != end || total > maxPiece-8 {
			return n
		}
		end += uint64(w.Size)
	}
	return len(writes)
}

// commitInterpreted writes the interpreter's results to the process. That costs
// less than a single step, so it pays even for one interpreted step.
func (n *run) commitInterpreted(p *interpreter, t *thread, done int) error {
	if done == 0 {
		return nil
	}
	p.patches = p.patches[:0]
	err := p.machine.Flush(p.write)
	var vector []byte
	if p.vectors {
		vector = t.vector
	}
	if err == nil {
		err = n.s.Commit(p.patches, vector, t.regs)
	}
	if err != nil {
		n.r.restart("the process could not be brought to where it should be")
		return err
	}
	p.ahead, p.vectors = false, false
	return nil
}

// write adds the changed bytes of a page to the patches, except rseq areas.
func (p *interpreter) write(addr uint64, data []byte) error {
	whole := x86.Span{Addr: addr, Len: uint64(len(data))}
	pieces := append(make([]x86.Span, 0, 4), whole)
	for _, s := range p.r.memory.Rseq {
		if _, _, ok := memdiff.Overlap(whole, s); ok {
			pieces = without(pieces, s)
		}
	}
	for _, s := range pieces {
		p.patches = append(p.patches, proc.Patch{Address: s.Addr, Data: data[s.Addr-addr : s.Addr-addr+s.Len]})
	}
	return nil
}

// A present is the [Base] of a live process: the process with the uncommitted
// results of the interpreter.
type present struct {
	Target
	r *Recorder
}

// ReadMemory reads memory of the interpreter if it has the page and is ahead,
// else of the process.
func (b present) ReadMemory(addr uint64, dst []byte) (int, error) {
	p := b.r.interpreter
	if p == nil || !p.ahead {
		return b.Target.ReadMemory(addr, dst)
	}
	for n := 0; n < len(dst); {
		at := addr + uint64(n)
		rest := dst[n:min(len(dst), n+int(pageSize-at%pageSize))]
		if own := p.pages[at/pageSize]; own != nil {
			n += copy(rest, own.Data[at%pageSize:])
			continue
		}
		k, err := b.Target.ReadMemory(at, rest)
		if n += k; err != nil {
			return n, err
		}
	}
	return len(dst), nil
}
