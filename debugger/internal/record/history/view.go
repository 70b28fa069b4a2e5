package history

import (
	"cmp"
	"errors"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Base reads the process as it is at the present.
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
	end      bool // position is the present, or the end of a window
	partial  bool // the end is one of a window, not the present
	threads  []thread
	current  int // index of the thread of the record that was applied or undone last
	maps     procfs.Maps
	remapped bool        // maps may differ from those of the present
	now      procfs.Maps // mappings of the present, if remapped

	scratch []span // buffer for the spans of a record
}

// A thread is a thread of the process at some position.
type thread struct {
	id     int
	alive  bool
	regs   ptrace.Regs
	vector []byte // nil if it never changed: read it from base
}

// NewView returns a view of a process, whose threads and mappings are given, that is at a
// position of a longer history. It can be read while the process is there.
func NewView(base Base, position uint64, threads []int, current int, maps procfs.Maps) (*View, error) {
	v := &View{base: base, position: position, end: true, partial: true, maps: maps}
	for _, id := range threads {
		regs, err := base.Regs(id)
		if err != nil {
			return nil, err
		}
		if id == current {
			v.current = len(v.threads)
		}
		v.threads = append(v.threads, thread{id: id, alive: true, regs: regs})
	}
	v.memory.base = base.ReadMemory
	return v, nil
}

// Position returns the position that the view shows.
func (v *View) Position() uint64 { return v.position }

// Present reports whether the view is at the end of history.
func (v *View) Present() bool { return v.end && !v.partial }

// Thread returns the id of the current thread: the thread of the record that
// the view moved over last.
func (v *View) Thread() int { return v.threads[v.current].id }

// PC returns the address of the current thread's next instruction.
func (v *View) PC() uint64 { return v.threads[v.current].regs.RIP }

// SP returns the current thread's stack pointer.
func (v *View) SP() uint64 { return v.threads[v.current].regs.RSP }

// Threads returns the ids of the known threads that are alive at the position,
// in ascending order.
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

// find returns a thread that is alive, or nil. The id 0 is the current thread.
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

// Regs returns the registers of a thread, or [proc.ErrNoThread]. The id 0 is
// the current thread.
func (v *View) Regs(id int) (ptrace.Regs, error) {
	t := v.find(id)
	if t == nil {
		return ptrace.Regs{}, proc.ErrNoThread
	}
	return t.regs, nil
}

// XState returns the vector state of a thread in the layout of XSAVE. It uses
// buf if that is large enough.
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

// Maps returns the mappings at the position.
func (v *View) Maps() procfs.Maps { return v.maps }

// ReadMemory reads len(b) bytes at addr. It returns the number of bytes read
// and, if that is less than len(b), an error.
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

var errNothingMapped = errors.New("nothing was mapped there")

// readPage reads up to the end of the page.
func (v *View) readPage(addr uint64, b []byte) (int, error) {
	b = b[:min(uint64(len(b)), pageSize-addr%pageSize)]
	if v.remapped && !v.mapped(addr) {
		return 0, &ptrace.AccessError{Address: addr, Err: errNothingMapped}
	}
	if n, ok := v.memory.read(addr, b); ok {
		return n, nil
	}
	if _, ok := v.now.Find(addr); v.remapped && !ok {
		clear(b) // it was unmapped without having been written
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

// move applies a record, or undoes it. If the memory of the present cannot be read, the view stays
// as it is.
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
		if err := v.load(v.scratch); err != nil {
			again := decoder{b: record}
			again.head(len(v.threads))
			again.moveRegs(&t.regs, !back)
			return err
		}
		v.swap(v.scratch, back)
	}
	if h.parts&partVector != 0 {
		d.moveVector(t.vector)
	}
	v.current = h.thread
	if h.parts&partExtra != 0 {
		d.extras(func(tag byte, p *decoder) { v.moveExtra(tag, p, back) })
	}
	if d.bad {
		return ErrCorrupt
	}
	return nil
}

// load copies the memory of spans from the present.
func (v *View) load(spans []span) error {
	for _, s := range spans {
		if err := v.memory.load(s.addr, len(s.data)); err != nil {
			return err
		}
	}
	return nil
}

// swap exchanges the contents of spans and memory. Undoing goes through the
// spans in reverse order, because they may overlap.
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
		removed, added := d.maps(), d.maps()
		if back {
			removed, added = added, removed
		}
		if !v.remapped {
			v.now = v.maps
		}
		v.maps, v.remapped = replaceMaps(v.maps, removed, added), true
	case extraSwitch:
		if from := d.index(len(v.threads)); back {
			v.current = from
		}
	case extraThread:
		t := &v.threads[d.index(len(v.threads))]
		t.alive = !t.alive
	case extraOther:
		t := &v.threads[d.index(len(v.threads))]
		d.moveRegs(&t.regs, back)
		d.moveVector(t.vector)
	}
}

// replaceMaps returns maps without those in removed and with those in added. It
// does not change its arguments.
func replaceMaps(maps, removed, added procfs.Maps) procfs.Maps {
	result := make(procfs.Maps, 0, len(maps)+len(added))
	went := make(map[procfs.Map]bool, len(removed))
	for _, m := range removed {
		went[m] = true
	}
	for _, m := range maps {
		if !went[m] {
			result = append(result, m)
		}
	}
	result = append(result, added...)
	slices.SortFunc(result, func(a, b procfs.Map) int { return cmp.Compare(a.Start, b.Start) })
	return result
}

// differMaps returns the mappings that are only in from and those only in to.
func differMaps(from, to procfs.Maps) (removed, added procfs.Maps) {
	for i, j := 0, 0; i < len(from) || j < len(to); {
		switch {
		case j == len(to) || i < len(from) && from[i].Start < to[j].Start:
			removed = append(removed, from[i])
			i++
		case i == len(from) || to[j].Start < from[i].Start:
			added = append(added, to[j])
			j++
		default:
			if from[i] != to[j] {
				removed, added = append(removed, from[i]), append(added, to[j])
			}
			i, j = i+1, j+1
		}
	}
	return removed, added
}
