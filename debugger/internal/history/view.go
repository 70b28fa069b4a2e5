package history

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A Base is the process as it is at the end of its history.
type Base interface {
	ReadMemory(addr uint64, b []byte) (int, error)
	Regs(thread int) (ptrace.Regs, error)
	XState(thread int, buf []byte) ([]byte, error)
}

// A View is a process at one position of its history. It moves with the
// History that it belongs to. Reading it changes nothing.
type View struct {
	base     Base
	memory   overlay
	position uint64
	end      bool // position is the present
	threads  []thread
	current  int // thread of the record that was passed last
	maps     procfs.Maps
	remapped bool        // maps may not be those of the present
	now      procfs.Maps // those of the present, if remapped

	scratch []span // of the record that is being applied
}

// A thread is one that is or was.
type thread struct {
	id     int
	alive  bool
	regs   ptrace.Regs
	vector []byte // nil: as in the present, it never changed
}

// Position is the number of the view's moment.
func (v *View) Position() uint64 { return v.position }

// Present says whether the view is at the end of history.
func (v *View) Present() bool { return v.end }

// Thread is the thread that made the last step on the way here.
func (v *View) Thread() int { return v.threads[v.current].id }

// PC is the address of that thread's next instruction.
func (v *View) PC() uint64 { return v.threads[v.current].regs.RIP }

// SP is that thread's stack pointer.
func (v *View) SP() uint64 { return v.threads[v.current].regs.RSP }

// Threads lists the threads that live at this moment and are known to the
// history, by id.
func (v *View) Threads() []int {
	var ids []int
	for i := range v.threads {
		if v.threads[i].alive {
			ids = append(ids, v.threads[i].id)
		}
	}
	slices.Sort(ids)
	return ids
}

// find returns a thread that lives, 0 being the current one, or nil.
func (v *View) find(id int) *thread {
	if id == 0 {
		return &v.threads[v.current]
	}
	for i := range v.threads {
		if t := &v.threads[i]; t.id == id && t.alive {
			return t
		}
	}
	return nil
}

// Regs returns the registers of a thread, 0 being that of [View.Thread]. It
// answers [proc.ErrNoThread].
func (v *View) Regs(id int) (ptrace.Regs, error) {
	t := v.find(id)
	if t == nil {
		return ptrace.Regs{}, proc.ErrNoThread
	}
	return t.regs, nil
}

// XState returns the vector state of a thread in the layout of XSAVE, in buf
// if that is long enough.
func (v *View) XState(id int, buf []byte) ([]byte, error) {
	t := v.find(id)
	if t == nil {
		return nil, proc.ErrNoThread
	}
	if t.vector == nil {
		return v.base.XState(t.id, buf)
	}
	return append(buf[:0], t.vector...), nil
}

// Maps are the mappings.
func (v *View) Maps() procfs.Maps { return v.maps }

// ReadMemory reads memory. It returns how many bytes could be read, and an
// error when not all could.
func (v *View) ReadMemory(addr uint64, b []byte) (int, error) {
	if v.end {
		return v.base.ReadMemory(addr, b)
	}
	n := 0
	for n < len(b) {
		k, err := v.readPage(addr+uint64(n), b[n:])
		if n += k; err != nil {
			return n, err
		}
	}
	return n, nil
}

// readPage reads at most to the end of a page.
func (v *View) readPage(addr uint64, b []byte) (int, error) {
	b = b[:min(uint64(len(b)), pageSize-addr%pageSize)]
	if v.remapped && !v.mapped(addr) {
		return 0, fmt.Errorf("read memory at %#x: nothing was mapped there", addr)
	}
	if n, ok := v.memory.read(addr, b); ok {
		return n, nil
	}
	if _, ok := v.now.Find(addr); v.remapped && !ok {
		clear(b) // it went without having been written
		return len(b), nil
	}
	return v.base.ReadMemory(addr, b)
}

// stackGrowth limits how far a stack may have grown since its mapping was
// listed.
const stackGrowth = 8 << 20

func (v *View) mapped(addr uint64) bool {
	if _, ok := v.maps.Find(addr); ok {
		return true
	}
	i, _ := slices.BinarySearchFunc(v.maps, addr, func(m procfs.Map, addr uint64) int {
		if m.Start > addr {
			return 1
		}
		return -1
	})
	return i < len(v.maps) && v.maps[i].Path == "[stack]" && v.maps[i].Start-addr <= stackGrowth
}

// move applies a record, or takes it back.
func (v *View) move(record []byte, back bool) error {
	d := decoder{b: record}
	h := d.head(len(v.threads))
	if d.bad {
		return ErrCorrupt
	}
	t := &v.threads[h.thread]
	d.moveRegs(&t.regs, back)
	if h.parts&partMemory != 0 {
		v.scratch = d.spans(v.scratch[:0])
		v.swap(v.scratch, back)
	}
	if h.parts&partVector != 0 {
		d.moveVector(t.vector)
	}
	if h.parts&partExtra != 0 {
		d.extras(func(tag byte, p *decoder) { v.moveExtra(tag, p, back) })
	}
	if d.bad {
		return ErrCorrupt
	}
	v.current = h.thread
	return nil
}

// swap exchanges spans with memory; backwards in the other order, because they
// may overlap.
func (v *View) swap(spans []span, back bool) {
	if !back {
		for _, s := range spans {
			v.memory.swap(s.addr, s.data)
		}
		return
	}
	for _, s := range slices.Backward(spans) {
		v.memory.swap(s.addr, s.data)
	}
}

func (v *View) moveExtra(tag byte, d *decoder, back bool) {
	switch tag {
	case extraMaps:
		gone, come := d.maps(), d.maps()
		if back {
			gone, come = come, gone
		}
		if !v.remapped {
			v.now = v.maps
		}
		v.maps, v.remapped = replaceMaps(v.maps, gone, come), true
	case extraThread:
		t := &v.threads[d.index(len(v.threads))]
		t.alive = !t.alive
	case extraOther:
		t := &v.threads[d.index(len(v.threads))]
		d.moveRegs(&t.regs, back)
		d.moveVector(t.vector)
	}
}

// replaceMaps returns maps without those in gone and with those in come. The
// argument is left as it is.
func replaceMaps(maps, gone, come procfs.Maps) procfs.Maps {
	result := make(procfs.Maps, 0, len(maps)+len(come))
	went := make(map[procfs.Map]bool, len(gone))
	for _, m := range gone {
		went[m] = true
	}
	for _, m := range maps {
		if !went[m] {
			result = append(result, m)
		}
	}
	result = append(result, come...)
	slices.SortFunc(result, func(a, b procfs.Map) int { return cmp.Compare(a.Start, b.Start) })
	return result
}

// differMaps returns what must go from one list and come to make the other.
func differMaps(from, to procfs.Maps) (gone, come procfs.Maps) {
	for i, j := 0, 0; i < len(from) || j < len(to); {
		switch {
		case j == len(to) || i < len(from) && from[i].Start < to[j].Start:
			gone = append(gone, from[i])
			i++
		case i == len(from) || to[j].Start < from[i].Start:
			come = append(come, to[j])
			j++
		default:
			if from[i] != to[j] {
				gone, come = append(gone, from[i]), append(come, to[j])
			}
			i, j = i+1, j+1
		}
	}
	return gone, come
}
