package races_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/races"
)

// A run makes accesses for a Detector. The position of an access is its number, and its program
// counter 100 more than that.
type run struct {
	*races.Detector
	n uint64
}

func begin(o races.Options) *run { return &run{Detector: races.New(o)} }

func (r *run) add(kind history.AccessKind, thread int, addr, length uint64) {
	r.n++
	r.Add(&history.Access{Position: r.n, Kind: kind, Thread: thread, PC: r.n + 100, Memory: x86.Span{Addr: addr, Len: length}})
}

func (r *run) read(thread int, addr uint64)   { r.add(history.AccessRead, thread, addr, 4) }
func (r *run) write(thread int, addr uint64)  { r.add(history.AccessWrite, thread, addr, 4) }
func (r *run) atomic(thread int, addr uint64) { r.add(history.AccessAtomic, thread, addr, 4) }

func (r *run) call(thread int, name string, result int64, arguments ...uint64) *history.CallMade {
	r.n++
	number, _ := syscalls.Number(name)
	c := &history.CallMade{Number: number, Result: result}
	copy(c.Arguments[:], arguments)
	return c
}

func (r *run) made(thread int, c *history.CallMade) {
	r.Add(&history.Access{Position: r.n, Kind: history.AccessCall, Thread: thread, Made: c})
}

func (r *run) clone(thread, child int) {
	c := r.call(thread, "clone", int64(child))
	c.Started = []int{child}
	r.made(thread, c)
}

func (r *run) end(thread int, word uint64) {
	r.n++
	r.Add(&history.Access{Position: r.n, Kind: history.AccessEnd, Thread: thread, Made: &history.CallMade{
		Writes: []history.Piece{{Address: word, Data: make([]byte, 4)}},
	}})
}

// found describes the races.
func (r *run) found() []string {
	all := []string{}
	for _, race := range r.Races() {
		all = append(all, fmt.Sprintf("%d-%d %#x/%d", race.Before.Position, race.After.Position, race.Shared.Addr, race.Shared.Len))
	}
	slices.Sort(all)
	return all
}

const x, y, lock = 0x1000, 0x1040, 0x2000

func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(r *run)
		want []string
	}{
		{"two writes", func(r *run) { r.write(1, x); r.write(2, x) }, []string{"1-2 0x1000/4"}},
		{"two reads", func(r *run) { r.read(1, x); r.read(2, x) }, nil},
		{"a read and a write", func(r *run) { r.read(1, x); r.write(2, x) }, []string{"1-2 0x1000/4"}},
		{"a write and a read", func(r *run) { r.write(1, x); r.read(2, x) }, []string{"1-2 0x1000/4"}},
		{"reads of two threads and a write", func(r *run) { r.read(1, x); r.read(2, x); r.write(3, x) }, []string{"1-3 0x1000/4", "2-3 0x1000/4"}},
		{"one thread", func(r *run) { r.write(1, x); r.read(1, x); r.write(1, x) }, nil},
		{"other bytes of a word", func(r *run) { r.add(history.AccessWrite, 1, x, 1); r.add(history.AccessWrite, 2, x+1, 1) }, nil},
		{"a part of it", func(r *run) { r.add(history.AccessWrite, 1, x, 8); r.add(history.AccessRead, 2, x+6, 2) }, []string{"1-2 0x1006/2"}},
		{"two words", func(r *run) { r.add(history.AccessWrite, 1, x, 8); r.add(history.AccessWrite, 2, x, 8) }, []string{"1-2 0x1000/8"}},
		{"a lock", func(r *run) {
			for thread := 1; thread <= 2; thread++ {
				r.atomic(thread, lock)
				r.write(thread, x)
				r.write(thread, lock) // an unlock that is a plain store
			}
		}, nil},
		{"two locks", func(r *run) { r.atomic(1, lock); r.write(1, x); r.write(1, lock); r.atomic(2, lock+64); r.write(2, x) }, []string{"2-5 0x1000/4"}},
		{"a write after the unlock", func(r *run) { r.atomic(1, lock); r.atomic(1, lock); r.write(1, x); r.atomic(2, lock); r.write(2, x) }, []string{"3-5 0x1000/4"}},
		{"over a third thread", func(r *run) {
			r.write(1, x)
			r.atomic(1, lock)
			r.atomic(2, lock)
			r.atomic(2, lock+64)
			r.atomic(3, lock+64)
			r.write(3, x)
		}, nil},
		{"a flag that is plain first", func(r *run) { r.write(1, x); r.write(1, lock); r.atomic(2, lock); r.write(2, x) }, nil},
		{"creation", func(r *run) { r.write(1, x); r.clone(1, 2); r.write(2, x); r.write(1, y); r.read(2, y) }, []string{"4-5 0x1040/4"}},
		{"the end", func(r *run) { r.clone(1, 2); r.write(2, x); r.end(2, lock); r.read(1, lock); r.write(1, x) }, nil},
		{"an end without a join", func(r *run) { r.clone(1, 2); r.write(2, x); r.end(2, lock); r.write(1, x) }, []string{"2-4 0x1000/4"}},
		{"the id of a thread again", func(r *run) { r.clone(1, 2); r.write(2, x); r.end(2, lock); r.clone(1, 2); r.write(2, x) }, []string{"2-5 0x1000/4"}},
		{"a futex", func(r *run) {
			r.write(1, x)
			r.made(1, r.call(1, "futex", 1, lock, 129, 1))
			r.made(2, r.call(2, "futex", 0, lock, 128))
			r.write(2, x)
		}, nil},
		{"a futex that was not waited for", func(r *run) {
			r.write(1, x)
			r.made(1, r.call(1, "futex", 1, lock, 129, 1))
			r.made(2, r.call(2, "futex", -11, lock, 128))
			r.write(2, x)
		}, []string{"1-4 0x1000/4"}},
		{"a pipe", func(r *run) {
			c := r.call(1, "pipe", 0)
			c.Writes = []history.Piece{{Address: y, Data: []byte{3, 0, 0, 0, 4, 0, 0, 0}}}
			r.made(1, c)
			r.write(1, x)
			r.made(1, r.call(1, "write", 1, 4))
			r.made(2, r.call(2, "read", 1, 3))
			r.write(2, x)
		}, nil},
		{"another pipe", func(r *run) {
			r.write(1, x)
			r.made(1, r.call(1, "write", 1, 4))
			r.made(2, r.call(2, "read", 1, 5))
			r.write(2, x)
		}, []string{"1-4 0x1000/4"}},
		{"a signal", func(r *run) {
			r.write(1, x)
			r.made(1, r.call(1, "tgkill", 0))
			r.add(history.AccessSignal, 2, 0, 0)
			r.read(2, x)
		}, nil},
		{"what the kernel has written", func(r *run) {
			c := r.call(1, "read", 4, 7)
			c.Writes = []history.Piece{{Address: x, Data: make([]byte, 4)}}
			r.made(1, c)
			r.read(2, x)
		}, []string{"1-2 0x1000/4"}},
		{"memory that was unmapped", func(r *run) {
			r.write(1, x)
			c := r.call(1, "munmap", 0)
			c.Unmapped = x86.Span{Addr: x, Len: 4096}
			r.made(1, c)
			r.write(2, x)
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := begin(races.Options{})
			tt.run(r)
			if diff := cmp.Diff(append([]string{}, tt.want...), r.found()); diff != "" {
				t.Errorf("races (-want +got):\n%s", diff)
			}
		})
	}
}

// What is known to be atomic makes an order, too.
func TestOptions(t *testing.T) {
	flag := func(r *run) { r.write(1, x); r.write(1, lock); r.read(2, lock); r.write(2, x) }
	for _, o := range []races.Options{
		{Ordered: map[uint64]bool{102: true, 103: true}},
		{Synchronizes: []x86.Span{{Addr: lock, Len: 4}}},
	} {
		r := begin(o)
		if flag(r); len(r.found()) > 0 {
			t.Errorf("%+v: %v", o, r.found())
		}
	}
	r := begin(races.Options{})
	if flag(r); len(r.found()) != 2 {
		t.Errorf("without options: %v", r.found())
	}
}

// Pairs of the same instructions are one race, of which the last one is shown.
func TestCounts(t *testing.T) {
	r := begin(races.Options{})
	for range 10 {
		for thread := 1; thread <= 2; thread++ {
			r.n++
			r.Add(&history.Access{Position: r.n, Kind: history.AccessWrite, Thread: thread, PC: uint64(thread), Memory: x86.Span{Addr: x, Len: 8}})
		}
	}
	all := r.Races()
	slices.SortFunc(all, func(a, b *races.Race) int { return a.Count - b.Count })
	if len(all) != 2 || all[0].Count != 9 || all[1].Count != 10 || all[1].Before.Position != 19 || all[1].After.Position != 20 {
		t.Errorf("%+v %+v", all[0], all[1])
	}
}

// Beyond the limit accesses are forgotten, and nothing else.
func TestLimit(t *testing.T) {
	r := begin(races.Options{Memory: 1 << 20})
	r.write(1, x)
	r.atomic(1, lock)
	for addr := uint64(1 << 20); addr < 1<<20+64*2000; addr += 64 {
		r.write(1, addr)
	}
	r.atomic(2, lock)
	r.write(2, 1<<20+64*10)
	r.write(3, x)
	if len(r.found()) != 0 || !r.Forgotten() {
		t.Errorf("%v, forgotten: %t", r.found(), r.Forgotten())
	}
}
