package races

import (
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Options of a Detector. The zero value is valid.
type Options struct {
	// Ordered has the addresses of instructions whose accesses are atomic, although they have no
	// lock prefix.
	Ordered map[uint64]bool
	// Synchronizes has memory that threads synchronize by.
	Synchronizes []x86.Span
	// Memory bounds the bytes for what is known of the memory of the program; 0 means 128 MiB.
	Memory int
}

const defaultMemory = 128 << 20

// A Side is one of the two accesses of a race.
type Side struct {
	Position uint64
	PC       uint64
	Memory   x86.Span
	Thread   int
	Write    bool
	Kernel   bool // it is a system call that has written
}

// A Race is two accesses without an order, by two instructions.
type Race struct {
	Before, After Side // the last ones
	Shared        x86.Span
	Count         int // of such pairs
}

// A pair is the instructions of a race.
type pair struct {
	before, after           uint64
	beforeWrites, afterWrit bool
}

// A Detector finds races in the accesses that it gets. Make one with [New].
type Detector struct {
	options Options
	threads map[int]int // indexes in clocks of threads that have not ended
	clocks  []clock
	lines   map[uint64]*line // by address/lineSize
	objects map[uint64]clock // by address/wordSize of words that threads synchronize by
	files   map[uint64]*clock
	signals clock // of those that were sent
	races   map[pair]*Race
	full    bool

	recent     *line // the last one that was found
	recentLine uint64
}

// maxRaces bounds the pairs of instructions.
const maxRaces = 1 << 12

// New returns a Detector that knows no accesses.
func New(o Options) *Detector {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	d := &Detector{
		options: o, threads: map[int]int{}, lines: map[uint64]*line{}, objects: map[uint64]clock{},
		files: map[uint64]*clock{}, races: map[pair]*Race{},
	}
	for _, s := range o.Synchronizes {
		eachWord(s.Addr, s.Len, func(word uint64, mask uint8) { d.word(word).sync |= mask })
	}
	return d
}

// Races returns the races, in no order.
func (d *Detector) Races() []*Race {
	all := make([]*Race, 0, len(d.races))
	for _, r := range d.races {
		all = append(all, r)
	}
	return all
}

// Forgotten reports whether accesses were forgotten because the program has used too much memory.
func (d *Detector) Forgotten() bool { return d.full }

// Add adds an access, which must come after all before. It returns true.
func (d *Detector) Add(a *history.Access) bool {
	t := d.index(a.Thread)
	s := stamp{Side: Side{Position: a.Position, PC: a.PC, Memory: a.Memory, Thread: a.Thread}, index: int32(t)}
	switch a.Kind {
	case history.AccessCall:
		d.called(t, a)
	case history.AccessEnd:
		d.ended(t, a)
	case history.AccessSignal:
		d.acquire(t, d.signals)
	case history.AccessAtomic:
		d.synchronize(t, a.Memory, true, true)
	case history.AccessWrite:
		s.Write = true
		d.access(&s)
	default:
		d.access(&s)
	}
	return true
}

// index returns the index of a thread in clocks.
func (d *Detector) index(id int) int {
	t, ok := d.threads[id]
	if !ok {
		t = len(d.clocks)
		d.threads[id] = t
		var c clock
		c.set(t, 1)
		d.clocks = append(d.clocks, c)
	}
	return t
}

// acquire makes all that is before a release before what a thread does from now on.
func (d *Detector) acquire(thread int, released clock) { d.clocks[thread].join(released) }

// release adds all that a thread has done to a clock.
func (d *Detector) release(thread int, to *clock) {
	c := &d.clocks[thread]
	to.join(*c)
	(*c)[thread]++
}

// synchronize makes memory that of synchronization, and acquires and releases it.
func (d *Detector) synchronize(thread int, memory x86.Span, acquires, releases bool) {
	eachWord(memory.Addr, memory.Len, func(number uint64, mask uint8) {
		w := d.word(number)
		if w.sync&mask != mask {
			d.begin(number, w)
			w.sync |= mask
		}
	})
	d.pass(thread, memory, acquires, releases)
}

// begin makes a word one of synchronization. What its last writer did before is released.
func (d *Detector) begin(number uint64, w *word) {
	if last := &w.write; last.mask != 0 {
		c := d.objects[number]
		c.set(int(last.index), last.time)
		d.objects[number] = c
	}
}

// pass acquires and releases the words of a range.
func (d *Detector) pass(thread int, memory x86.Span, acquires, releases bool) {
	first, last := memory.Addr/wordSize, (memory.Addr+memory.Len-1)/wordSize
	for number := first; acquires && number <= last; number++ {
		d.acquire(thread, d.objects[number])
	}
	if !releases {
		return
	}
	for number := first; number <= last; number++ {
		c := d.objects[number]
		c.join(d.clocks[thread])
		d.objects[number] = c
	}
	d.clocks[thread][thread]++
}

// access compares an access with those before it, and remembers it. It takes the time.
func (d *Detector) access(s *stamp) {
	if d.options.Ordered[s.PC] {
		d.synchronize(int(s.index), s.Memory, !s.Write, s.Write)
		return
	}
	s.time = d.clocks[s.index][s.index]
	syncs := false
	eachWord(s.Memory.Addr, s.Memory.Len, func(number uint64, mask uint8) {
		w := d.word(number)
		if w.sync&mask != 0 {
			syncs = true
			mask &^= w.sync
		}
		if s.mask = mask; mask == 0 {
			return
		}
		d.compare(number, w, s)
		if s.Write {
			w.addWrite(s)
		} else {
			w.addRead(s, d.clocks[s.index])
		}
	})
	if syncs {
		d.passSync(s)
	}
}

// passSync acquires or releases those words of an access that threads synchronize by.
func (d *Detector) passSync(s *stamp) {
	eachWord(s.Memory.Addr, s.Memory.Len, func(number uint64, mask uint8) {
		if d.word(number).sync&mask != 0 {
			d.pass(int(s.index), x86.Span{Addr: number * wordSize, Len: 1}, !s.Write, s.Write)
		}
	})
}

// compare notes races of an access to a word.
func (d *Detector) compare(number uint64, w *word, s *stamp) {
	if old := &w.write; old.mask&s.mask != 0 && d.unordered(old, s) {
		d.note(number, old, s)
	}
	if s.Write {
		w.reads(func(old *stamp) {
			if old.mask&s.mask != 0 && d.unordered(old, s) {
				d.note(number, old, s)
			}
		})
	}
}

// unordered reports whether an access of another thread is not before one.
func (d *Detector) unordered(old, s *stamp) bool {
	return old.index != s.index && old.time > d.clocks[s.index].of(int(old.index))
}

// note notes a race.
func (d *Detector) note(number uint64, before, after *stamp) {
	key := pair{before.PC, after.PC, before.Write, after.Write}
	r := d.races[key]
	if r == nil {
		if len(d.races) >= maxRaces {
			return
		}
		r = new(Race)
		d.races[key] = r
	}
	first, n := bytesOf(before.mask & after.mask)
	if r.Count == 0 || r.After.Position != after.Position {
		r.Count++
		r.Shared = x86.Span{Addr: number*wordSize + first}
	}
	r.Before, r.After = before.Side, after.Side
	r.Shared.Len = number*wordSize + first + n - r.Shared.Addr
}

// word returns a word of the shadow.
func (d *Detector) word(number uint64) *word {
	n := number / lineWords
	if d.recent == nil || d.recentLine != n {
		l := d.lines[n]
		if l == nil {
			if d.limit(); l == nil {
				l = new(line)
				d.lines[n] = l
			}
		}
		d.recent, d.recentLine = l, n
	}
	return &d.recent[number%lineWords]
}

// limit forgets all accesses, but not what threads synchronize by, if they take too much memory.
func (d *Detector) limit() {
	if len(d.lines)*lineBytes < d.options.Memory {
		return
	}
	d.full = true
	for n, l := range d.lines {
		syncs := uint8(0)
		for k := range l {
			syncs |= l[k].sync
			l[k] = word{sync: l[k].sync}
		}
		if syncs == 0 {
			delete(d.lines, n)
		}
	}
	if len(d.lines)*lineBytes > d.options.Memory/2 { // nearly all is synchronization
		clear(d.lines)
		clear(d.objects)
	}
}

// forget forgets what is known of memory whose contents are gone.
func (d *Detector) forget(memory x86.Span) {
	first, last := memory.Addr/lineSize, (memory.Addr+memory.Len+lineSize-1)/lineSize
	if last-first > uint64(len(d.lines)) {
		for n := range d.lines {
			if n >= first && n < last {
				delete(d.lines, n)
			}
		}
	}
	for n := first; n < last && last-first <= uint64(len(d.lines)); n++ {
		delete(d.lines, n)
	}
	d.recent = nil
}

// Release drops what was known of the memory of the program. The races are kept.
func (d *Detector) Release() {
	d.lines, d.objects, d.files, d.clocks, d.threads, d.recent = nil, nil, nil, nil, nil, nil
}
