package heap

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/callstack"
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
	Collected bool   // a garbage collector frees the block, without a call
	Gaps      int    // stretches without records
	Calls     int    // calls of allocators that are recorded
}

// A call is a recorded call of an allocator.
type call struct {
	position, end uint64 // of the first instruction, and after the return; end is 0 until it is known
	sp, ret       uint64
	size          uint64
	freed         uint64 // the block that it frees, 0 if it frees none
	out           uint64 // where the result is stored, 0 if it is returned
	thread        int
	allocates     bool
}

// A search is that for the block which an address is in. It goes back in stretches, each
// twice as long as the one after it, until the block is allocated in one.
type search struct {
	s     *stepping.Stepper
	addr  uint64
	to    uint64 // the position at which it is asked
	code  map[uint64]function
	calls []call // of the stretch
	frees []call // of the stretches after it, the last ones first, that may free the block
	early call   // the last one that frees a block around the address, as its header says
	found *Found
}

// shortest is the length of the first stretch.
const shortest = 1 << 20

// Find returns the block that holds an address at the current position, or that held it last.
func Find(ctx context.Context, s *stepping.Stepper, addr uint64) (*Found, error) {
	code, err := allocators(ctx, s)
	if err != nil {
		return nil, err
	}
	c := &search{s: s, addr: addr, to: s.History.View().Position(), code: code, found: new(Found)}
	if len(code) == 0 {
		return c.found, nil
	}
	var findErr error
	err = s.AtPosition(ctx, c.to, func() { findErr = c.find(ctx) })
	if err = errors.Join(findErr, err); err != nil {
		return nil, err
	}
	return c.found, nil
}

func (c *search) find(ctx context.Context) error {
	oldest := c.s.History.Oldest()
	for to, length := c.to, uint64(shortest); to > oldest && c.found.Block == nil; length *= 2 {
		from := to - min(length, to-oldest)
		if err := c.stretch(ctx, from, to); err != nil {
			return err
		}
		to = from
	}
	if c.found.Block == nil && c.early.freed != 0 {
		c.found.Block = &Block{Address: c.early.freed, Size: c.early.size, Freed: c.early.event()}
	}
	block := c.found.Block
	if block == nil {
		return nil
	}
	c.found.Collected = c.s.IsGo() && block.Freed == nil
	for _, e := range []*Event{block.Allocated, block.Freed} {
		if e == nil {
			continue
		}
		if err := c.s.SeekQuietly(e.Position); err != nil {
			return err
		}
		e.Frames, _ = c.s.Frames(e.Thread, maxFrames) // the event is useful without a stack, too
	}
	return nil
}

// stretch looks for the block in the calls that begin between two positions.
func (c *search) stretch(ctx context.Context, from, to uint64) error {
	c.calls = nil
	searched, err := c.s.History.Visit(ctx, slices.Sorted(maps.Keys(c.code)), history.Stretch{From: from, To: to}, c.enter)
	if err != nil {
		return err
	}
	c.found.Gaps += searched.Gaps
	c.found.Calls += len(c.calls)
	if err := c.results(ctx, from); err != nil {
		return err
	}
	for i := range slices.Backward(c.calls) {
		if each := &c.calls[i]; each.freed != 0 && each.freed <= c.addr {
			c.frees = append(c.frees, *each)
		}
	}
	return nil
}

func (c *call) event() *Event { return &Event{Position: c.position, Thread: c.thread} }

// maxFrames is the number of frames of an event.
const maxFrames = 20

// enter remembers a call at its first instruction.
func (c *search) enter(_ history.Hit, v *history.View) bool {
	f := c.code[v.PC()]
	regs, err := v.Regs(v.Thread())
	if err != nil || v.Position() >= c.to { // there it is yet to be made
		return true
	}
	made := call{position: v.Position(), thread: v.Thread(), sp: regs.RSP, ret: word(v, regs.RSP), allocates: f.size != nil}
	if f.size != nil {
		made.size = f.size(&regs)
	}
	if f.stored {
		made.out = regs.RDI
	}
	if f.frees && regs.RDI != 0 {
		made.freed = regs.RDI
		c.noteEarly(v, made)
	}
	c.calls = append(c.calls, made)
	return true
}

// noteEarly remembers a call that frees a block around the address, by glibc's header of its
// chunk: its size and three flags.
func (c *search) noteEarly(v *history.View, made call) {
	const sizeFlags, largest = 7, 1 << 40
	if made.freed > c.addr || made.freed%16 != 0 || made.position < c.early.position {
		return
	}
	size := word(v, made.freed-header) &^ sizeFlags
	if size > header && size < largest && c.addr-made.freed < size-header {
		c.early, c.early.size = made, size-header
	}
}

// A frame identifies the return of a call.
type frame struct {
	thread  int
	sp, ret uint64
}

// results looks for the block among the results of the calls of a stretch that begins at a
// position. The last calls may return after it.
func (c *search) results(ctx context.Context, from uint64) error {
	back := map[uint64]bool{}
	for i := range c.calls {
		if c.calls[i].allocates {
			back[c.calls[i].ret] = true
		}
	}
	if len(back) == 0 {
		return nil
	}
	best, at, next := -1, uint64(0), 0
	waiting := map[frame]int{} // calls that have not returned
	_, err := c.s.History.Visit(ctx, slices.Sorted(maps.Keys(back)), history.Stretch{From: from, To: c.to}, func(_ history.Hit, v *history.View) bool {
		for ; next < len(c.calls) && c.calls[next].position < v.Position(); next++ {
			if each := &c.calls[next]; each.allocates {
				waiting[frame{each.thread, each.sp, each.ret}] = next
			}
		}
		to := frame{v.Thread(), v.SP() - 8, v.PC()}
		if i, ok := waiting[to]; ok {
			delete(waiting, to)
			c.calls[i].end = v.Position()
			if p, ok := c.result(v, &c.calls[i]); ok && c.better(best, at, i, p) {
				best, at = i, p
			}
		}
		return next < len(c.calls) || len(waiting) > 0
	})
	if best >= 0 {
		made := &c.calls[best]
		c.found.Block = &Block{Address: at, Size: made.size, Allocated: made.event(), Freed: c.freeOf(at, made.end)}
	}
	return err
}

// result returns the block of a call that has returned, and whether it holds the address.
func (c *search) result(v *history.View, made *call) (uint64, bool) {
	regs, err := v.Regs(v.Thread())
	if err != nil {
		return 0, false
	}
	p := regs.RAX
	if made.out != 0 {
		p = word(v, made.out)
	}
	if p == 0 && made.size != 0 {
		made.freed = 0 // a realloc that has failed
	}
	return p, p != 0 && c.addr >= p && c.addr-p < max(made.size, 1)
}

// better reports whether a call that has just returned a block tells more of the address than
// the best one by now: it is later, unless the best one was made by it for a smaller block.
func (c *search) better(best int, at uint64, i int, p uint64) bool {
	if best < 0 {
		return true
	}
	old, made := &c.calls[best], &c.calls[i]
	return old.position < made.position || p == at || made.size < old.size
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
