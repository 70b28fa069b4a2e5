package heap

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A Block is memory that an allocator has given away.
type Block struct {
	Address, Size uint64
	Allocated     *Event // nil if that was before the history begins
	Freed         *Event // nil if it is not freed at the position
}

// An Event is a call that allocates or frees a block.
type Event struct {
	Position uint64 // of the function's first instruction
	Thread   int
	Frames   []callstack.Frame // the innermost one is the function's
}

// Found is the result of a search.
type Found struct {
	Block     *Block // nil if no block that holds the address is known
	Before    *Block // if it is allocated, the one that held the address before and is freed, unless nil
	Collected bool   // a garbage collector frees the block, without a call
	Gaps      int    // stretches without records
	Calls     int    // calls of allocators that are recorded
}

// A call is a recorded call of an allocator.
type call struct {
	position, end uint64 // of the first instruction, and after the return; end is 0 until it is known
	sp, ret       uint64
	size          uint64
	result        uint64 // the block that it allocates, 0 if it allocates none
	freed         uint64 // the block that it frees, 0 if it frees none
	chunk         uint64 // the size of that block by glibc's header, 0 if there is none
	out           uint64 // where the result is stored, 0 if it is returned
	thread        int
	allocates     bool
}

// A stretch holds the calls that begin between two positions, which do not depend on the question.
type stretch struct {
	calls    []call
	returned []int // indexes of those that allocate, in the order of their returns
	gaps     int
}

// A search is that for the block which an address is in. It goes back in stretches, each
// twice as long as the one after it, until the block is allocated in one.
type search struct {
	s     *stepping.Stepper
	addr  uint64
	to    uint64 // the position at which it is asked
	code  map[uint64]function
	calls []call // of the stretch that are made before that
	frees []call // of the stretches after it, the last ones first, that may free the block
	early call   // the last one that frees a block around the address, as its header says
	found *Found

	looked *stretch // the earliest one that was looked in
}

// shortest is the length of the first stretch.
const shortest = 1 << 20

// Find returns the block that holds an address at the current position, or that held it last.
func Find(ctx context.Context, s *stepping.Stepper, addr uint64) (*Found, error) {
	code, err := allocators(ctx, s)
	if err != nil {
		return nil, err
	}
	c := &search{s: s, addr: addr, to: s.Target.History.View().Position(), code: code, found: new(Found)}
	if len(code) == 0 {
		return c.found, nil
	}
	var findErr error
	err = s.Timeline.AtPosition(ctx, c.to, func() { findErr = c.find(ctx) })
	if err = errors.Join(findErr, err); err != nil {
		return nil, err
	}
	return c.found, nil
}

func (c *search) find(ctx context.Context) error {
	if err := c.lookBack(ctx); err != nil {
		return err
	}
	if c.found.Block == nil && c.early.freed != 0 {
		c.found.Block = &Block{Address: c.early.freed, Size: c.early.size, Freed: c.early.event()}
	}
	block := c.found.Block
	if block == nil {
		return nil
	}
	c.found.Collected = c.s.Inspector.IsGo() && block.Freed == nil
	c.findBefore()
	if err := c.addFrames(block); err != nil || c.found.Before == nil {
		return err
	}
	return c.addFrames(c.found.Before)
}

// findBefore looks for the block that held the address before, in the stretch in which the one that
// holds it is allocated.
func (c *search) findBefore() {
	block := c.found.Block
	if block.Freed != nil || block.Allocated == nil {
		return
	}
	before := &search{addr: c.addr, to: block.Allocated.Position, found: new(Found)}
	before.lookIn(c.looked)
	if b := before.found.Block; b != nil && b.Freed != nil {
		c.found.Before = b
	}
}

// lookBack looks for the block in the calls before the position, in stretches that other questions
// share.
func (c *search) lookBack(ctx context.Context) error {
	oldest := c.s.Target.History.Oldest()
	last := min(c.s.Target.History.End(), (c.to+shortest-1)/shortest*shortest) // so that nearby questions share stretches
	for to, length := last, uint64(shortest); to > oldest && c.found.Block == nil; length *= 2 {
		from := to - min(length, to-oldest)
		var err error
		if c.looked, err = c.stretch(ctx, from, to); err != nil {
			return err
		}
		c.lookIn(c.looked)
		to = from
	}
	return nil
}

// addFrames adds the stacks of the calls that allocated and freed a block.
func (c *search) addFrames(block *Block) error {
	for _, e := range []*Event{block.Allocated, block.Freed} {
		if e == nil {
			continue
		}
		if err := c.s.Timeline.SeekQuietly(e.Position); err != nil {
			return err
		}
		e.Frames, _ = c.s.Inspector.Frames(e.Thread, maxFrames) // the event is useful without a stack, too
	}
	return nil
}

// lookIn looks for the block in the calls of a stretch.
func (c *search) lookIn(in *stretch) {
	n := sort.Search(len(in.calls), func(i int) bool { return in.calls[i].position >= c.to }) // those are yet to be made
	c.calls = in.calls[:n]
	c.found.Gaps += in.gaps
	c.found.Calls += n
	c.choose(in.returned)
	for i := range slices.Backward(c.calls) {
		each := &c.calls[i]
		if each.freed != 0 && each.freed <= c.addr {
			c.frees = append(c.frees, *each)
		}
		if c.early.freed == 0 && each.chunk != 0 && each.freed <= c.addr && c.addr-each.freed < each.chunk {
			c.early = *each
			c.early.size = each.chunk
		}
	}
}

// choose looks for the block among the results of calls.
func (c *search) choose(returned []int) {
	best := -1
	for _, i := range returned {
		if i >= len(c.calls) || c.calls[i].end > c.to {
			continue
		}
		if made := &c.calls[i]; made.holds(c.addr) && c.better(best, i) {
			best = i
		}
	}
	if best >= 0 {
		made := &c.calls[best]
		c.found.Block = &Block{Address: made.result, Size: made.size, Allocated: made.event(), Freed: c.freeOf(made.result, made.end)}
	}
}

// holds reports whether the block of a call that has returned holds an address.
func (c *call) holds(addr uint64) bool {
	return c.result != 0 && addr >= c.result && addr-c.result < max(c.size, 1)
}

// stretch returns the calls between two positions, which the history remembers.
func (c *search) stretch(ctx context.Context, from, to uint64) (*stretch, error) {
	code := slices.Sorted(maps.Keys(c.code))
	key := fmt.Sprintf("heap %d %d %x", from, to, code)
	if known, ok := c.s.Target.History.Findings.Remembered(key).(*stretch); ok {
		return known, nil
	}
	in := new(stretch)
	if numbers, ok := c.s.Target.History.Findings.Kept(key); ok && in.set(numbers, from, to) {
		c.s.Target.History.Findings.Remember(key, in)
		return in, nil
	}
	*in = stretch{}
	searched, err := c.s.Target.History.Visit(ctx, code, history.Stretch{From: from, To: to}, func(_ history.Hit, v *history.View) bool {
		c.enter(in, v)
		return true
	})
	if in.gaps = searched.Gaps; err == nil {
		err = c.results(ctx, in, from, to)
	}
	if err != nil {
		return nil, err
	}
	c.s.Target.History.Findings.Remember(key, in)
	c.s.Target.History.Findings.Keep(key, callNumbers, in.numbers)
	return in, nil
}

func (c *call) event() *Event { return &Event{Position: c.position, Thread: c.thread} }

// maxFrames is the number of frames of an event.
const maxFrames = 20

// enter adds a call at its first instruction.
func (c *search) enter(in *stretch, v *history.View) {
	f := c.code[v.PC()]
	regs, err := v.Regs(v.Thread())
	if err != nil {
		return
	}
	made := call{position: v.Position(), thread: v.Thread(), sp: regs.RSP, ret: word(v, regs.RSP), allocates: f.size != nil}
	if f.size != nil {
		made.size = f.size(&regs)
	}
	if f.stored {
		made.out = regs.RDI
	}
	if f.frees && regs.RDI != 0 {
		made.freed, made.chunk = regs.RDI, chunkOf(v, regs.RDI)
	}
	in.calls = append(in.calls, made)
}

// chunkOf returns the size of a block that is freed by glibc's header of its chunk: its size and
// three flags.
func chunkOf(v *history.View, block uint64) uint64 {
	const sizeFlags, largest = 7, 1 << 40
	if block%16 != 0 {
		return 0
	}
	if size := word(v, block-header) &^ sizeFlags; size > header && size < largest {
		return size - header
	}
	return 0
}

// A frame identifies the return of a call.
type frame struct {
	thread  int
	sp, ret uint64
}

// mostAfter is the number of positions after a stretch at which its last calls may return.
const mostAfter = 16 << 20

// results adds the results of the calls of a stretch between two positions. The last calls may
// return after it.
func (c *search) results(ctx context.Context, in *stretch, from, to uint64) error {
	back := map[uint64]bool{}
	for i := range in.calls {
		if in.calls[i].allocates {
			back[in.calls[i].ret] = true
		}
	}
	if len(back) == 0 {
		return nil
	}
	next := 0
	waiting := map[frame]int{} // calls that have not returned
	_, err := c.s.Target.History.Visit(ctx, slices.Sorted(maps.Keys(back)), history.Stretch{From: from, To: to + mostAfter}, func(_ history.Hit, v *history.View) bool {
		for ; next < len(in.calls) && in.calls[next].position < v.Position(); next++ {
			if each := &in.calls[next]; each.allocates {
				waiting[frame{each.thread, each.sp, each.ret}] = next
			}
		}
		at := frame{v.Thread(), v.SP() - 8, v.PC()}
		if i, ok := waiting[at]; ok {
			delete(waiting, at)
			in.calls[i].returns(v)
			in.returned = append(in.returned, i)
		}
		return next < len(in.calls) || len(waiting) > 0
	})
	return err
}

// returns notes the result of a call that has just returned.
func (c *call) returns(v *history.View) {
	c.end = v.Position()
	regs, err := v.Regs(v.Thread())
	if err != nil {
		return
	}
	if c.result = regs.RAX; c.out != 0 {
		c.result = word(v, c.out)
	}
	if c.result == 0 && c.size != 0 {
		c.freed = 0 // a realloc that has failed
	}
}

// better reports whether a call, which has returned later, tells more of the address than the best
// one by now: it is later, unless the best one was made by it for a smaller block.
func (c *search) better(best, i int) bool {
	if best < 0 {
		return true
	}
	old, made := &c.calls[best], &c.calls[i]
	return old.position < made.position || made.result == old.result || made.size < old.size
}

// freeOf returns the call that frees a block after a position, nil if none does.
func (c *search) freeOf(at, after uint64) *Event {
	for i := range c.calls {
		if each := &c.calls[i]; each.position >= after && each.freed == at {
			return each.event()
		}
	}
	for i := range slices.Backward(c.frees) {
		if each := &c.frees[i]; each.freed == at {
			return each.event()
		}
	}
	return nil
}
