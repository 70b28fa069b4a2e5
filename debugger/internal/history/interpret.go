package history

import (
	"encoding/binary"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/x86/interp"
	"github.com/triptych-mcp/triptych/debugger/internal/x86/xsave"
)

// An interpreter makes steps in this program, over copies of the process's
// pages, for as long as it knows the instructions. That is hundreds of times
// faster than to let the processor make them one by one. The process is brought
// to where the interpreter is before the processor goes on.
type interpreter struct {
	r       *Recorder
	machine *interp.Machine
	pages   map[uint64]*interp.Page // by number: what the machine has
	stale   map[uint64]struct{}     // pages that the processor has written since
	full    bool                    // there were too many
	ahead   bool                    // the process has not yet what the machine has
	thread  int                     // that steps, in the table of threads
	layout  xsave.Layout
	vectors bool // ahead in vectors, too
	changes []vectorChange
	patches []proc.Patch // that the process is to get
	from    *ptrace.Regs // at the beginning of a row, until its first record
	part    []byte
	diffs   [32]uint64 // of registers, by their bits in a record's mask
}

// maxRow limits the steps that are interpreted before the processor makes one,
// after which pauses are noticed.
const maxRow = 1 << 17

func newInterpreter(r *Recorder) *interpreter {
	p := &interpreter{
		r: r, pages: make(map[uint64]*interp.Page), stale: make(map[uint64]struct{}), layout: xsave.Machine(),
	}
	p.machine = interp.New(p)
	p.machine.UseVectors(p.loadVectors)
	return p
}

// maxPages limits the cached pages. When there are more, all are dropped.
const maxPages = 1 << 14

// Load is for the machine. Memory that others may write is the processor's.
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
// because a thread waits for that in a system call.
func (p *interpreter) awaited(piece x86.Span) bool {
	for _, a := range p.r.pending {
		for _, s := range a.spans {
			if _, _, ok := overlap(piece, s); ok {
				return true
			}
		}
	}
	return false
}

// uncertain reports whether a thread waits in a system call of which it is not
// known what it writes.
func (p *interpreter) uncertain() bool {
	for _, a := range p.r.pending {
		if a.before != nil || a.lost != "" {
			return true
		}
	}
	return false
}

// forget drops all copies: the process has run, or its mappings have changed.
func (p *interpreter) forget() {
	if len(p.pages) > 0 {
		p.machine.Forget()
		clear(p.pages)
	}
	clear(p.stale)
	p.full = false
}

// wrote notes that the processor has written.
func (p *interpreter) wrote(addr, n uint64) {
	for number := addr / pageSize; number <= (addr+n-1)/pageSize; number++ {
		if _, ok := p.pages[number]; ok {
			p.stale[number] = struct{}{}
		}
	}
}

// catchUp reads what the processor has written.
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

// row makes steps of a run until the processor must make one. The first one
// after a system call is the processor's: signals that came with the call, such
// as one that the thread has sent itself, come before it.
func (n *run) row() error {
	p, id := n.r.interpreter, n.s.Thread()
	if p == nil || n.s.Signal() != 0 || n.r.pending[id] != nil || n.r.returning[id] || n.s.Pending(id) || p.uncertain() {
		return nil
	}
	regs, err := n.s.Regs()
	i := n.r.index(id)
	if err != nil || i < 0 || inSyscall(regs) {
		return nil //nolint:nilerr // the step finds out what is the matter
	}
	if err := p.catchUp(); err != nil || p.full {
		p.forget()
	}
	t := &n.r.view().threads[i]
	p.thread = i
	Addressing(regs, &p.machine.Regs)
	p.machine.RIP = regs.RIP
	p.machine.ForgetVectors()
	return n.settle(p, t, n.interpret(p, t, i, regs))
}

// interpret makes the steps and returns how many.
func (n *run) interpret(p *interpreter, t *thread, index int, regs *ptrace.Regs) int {
	p.machine.Flags = regs.EFlags
	p.from = regs
	done := 0
	for ; done < maxRow && n.result.Why == 0 && p.machine.Step(); done++ {
		p.ahead = true
		p.record(t)
		n.r.view().current = index
		n.done()
	}
	return done
}

// record makes the record of an interpreted step.
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
	b := p.appendRegs(appendHead(p.r.buf[:0], h), t)
	if len(writes) > 0 {
		b = p.appendWrites(b, writes)
	}
	if len(p.changes) > 0 {
		b = appendChanges(b, p.changes)
	}
	p.r.buf = b
	p.r.history.append(b)
}

// appendRegs appends what the step has changed of the registers, and makes those
// of the thread so. The first step of a row also has what was changed since the
// last record, as the kernel does when a thread stops in a system call.
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

// appendWrites appends what a step has overwritten, a vector in one piece.
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
		p.r.code.wrote(writes[0].Addr, uint64(length))
		writes = writes[n:]
		pieces++
	}
	return insertCount(b, at, pieces)
}

// maxPiece limits the bytes that a step writes at one place, and one quadword.
const maxPiece = 64 + 8

// adjacent returns the number of writes, from the first on, that follow one
// another without a gap.
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

// settle brings the process to where the interpreter is. That costs less than
// one step of the processor, so it pays after the shortest row.
func (n *run) settle(p *interpreter, t *thread, done int) error {
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

// write notes what is to be written of a page: all but what the kernel writes by
// itself.
func (p *interpreter) write(addr uint64, data []byte) error {
	whole := x86.Span{Addr: addr, Len: uint64(len(data))}
	pieces := append(make([]x86.Span, 0, 4), whole)
	for _, s := range p.r.rseq {
		if _, _, ok := overlap(whole, s); ok {
			pieces = without(pieces, s)
		}
	}
	for _, s := range pieces {
		p.patches = append(p.patches, proc.Patch{Address: s.Addr, Data: data[s.Addr-addr : s.Addr-addr+s.Len]})
	}
	return nil
}

// A present is the process as the recorder sees it: where the interpreter is
// ahead of the process, the interpreter's memory is valid.
type present struct {
	Target
	r *Recorder
}

// ReadMemory reads the process's memory, or the interpreter's.
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
