package translate

import (
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Instructions are counted where that is cheap: a subtraction from the field Left in memory
// takes almost no time, but it changes flags, and to save them takes more than to execute ten
// instructions. Nearly all conditional branches follow an instruction that overwrites the
// flags. Before it is the place to count all instructions from the branch before to this one.
//
// So some instructions are executed before they are counted, at most maxDeferred. The sum of
// the counters is therefore Reserve smaller than the number of instructions that may be
// executed. Each subtraction is followed by a check: if one was not, a loop in which it is the
// only one of its counter would make the sum negative while the others are not.
const (
	maxDeferred = 24
	// Reserve is the number of instructions that may be left when a block ends with
	// ExitLeft, besides those of the block.
	Reserve = maxDeferred
	// Shortest is the number of instructions that must be left when the program enters a
	// block that checks them, so that it executes at least one.
	Shortest = Reserve + maxInstructions
)

// A counting says how instructions are counted before an instruction.
type counting struct {
	number  int8  // of instructions, 0 if none are counted here
	counter uint8 // of Left
	live    bool  // the flags must be kept
}

// placeCounts chooses where the instructions of the block are counted. Those up to a
// branch that is likely to leave the block are counted before it.
func (t *translation) placeCounts() {
	last, from := -1, 0
	t.counter = uint8(t.FirstExit % counters)
	for n := range t.planned {
		if n < len(t.planned)-1 && !t.planned[n].likelyLeaves(t.PC) {
			continue
		}
		number := n + 1 - from
		switch at, ok := t.deadFlagsBetween(from, n); {
		case ok:
			last = at
		case from == 0:
			last = 0
			t.planned[0].counting.live = true
		}
		c := &t.planned[last].counting
		if c.number == 0 {
			c.counter = t.counter
			t.counter = (t.counter + 1) % counters
		}
		c.number += int8(number)
		from = n + 1
	}
}

// likelyLeaves reports whether an instruction in the middle of a block of which start is the
// first one is a branch that the program may leave the block at, other than at the end of a loop.
func (p *planned) likelyLeaves(start uint64) bool {
	return p.side != 0 && p.in.Class.Is(x86.Cond) && p.next != start
}

// deadFlagsBetween returns the first instruction from one to another, both included, before
// which instructions can be counted with a change of flags. It is not behind a branch at which
// the program may leave the block.
func (t *translation) deadFlagsBetween(from, to int) (at int, ok bool) {
	for at := from; at <= min(to, from+maxDeferred); at++ {
		p := &t.planned[at]
		if !p.variable && overwritesFlags(&p.in, p.code) {
			return at, true
		}
		if p.side != 0 || p.in.Class.Is(x86.Return) {
			break
		}
	}
	return from, t.flagsDead(t.planned[from].in.PC)
}

// overwriting are the opcodes without 0f of instructions that may overwrite all flags and read none.
var overwriting = opcodeSet(
	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, // add
	0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, // or
	0x20, 0x21, 0x22, 0x23, 0x24, 0x25, // and
	0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, // sub
	0x30, 0x31, 0x32, 0x33, 0x34, 0x35, // xor
	0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, // cmp
	0x80, 0x81, 0x83, // the same with an immediate
	0x84, 0x85, 0xa8, 0xa9, 0xf6, 0xf7, // test, neg
)

// overwritesFlags reports whether an instruction overwrites all flags and reads none.
func overwritesFlags(in *x86.Inst, code []byte) bool {
	if s := shapeOf(code); s.escape == 0 && !overwriting[s.opcode] {
		return false // without the time that its name takes
	}
	reads, writes, certain := flagUse(in)
	return certain && reads == 0 && writes == arithmetic
}

// count adds the subtraction from the instructions that are left, and the exit if they are
// not enough.
func (t *translation) count(p *planned) {
	c := p.counting
	if c.number == 0 {
		return
	}
	t.counted += int(c.number)
	t.counter = c.counter
	if c.live {
		t.countWithFlags(c)
		return
	}
	t.hot.subtractLeft(c.counter, c.number)
	if !t.Once {
		t.markCounting()
		t.hot.raw(0x0f, 0x88) // js
		t.hot.relative(t.cold.address())
		t.exitLeft()
	}
}

// countWithFlags is count without a change of flags.
func (t *translation) countWithFlags(c counting) {
	t.hot.addLeft(c.counter, -c.number)
	if !t.Once {
		t.hot.raw(0x0f, 0xb6) // movzx ecx, byte [Left+7]
		t.hot.field(x86.RCX, counterField(c.counter)+7, 0)
		t.hot.raw(0xe3, 5) // jrcxz over the jump
		t.hot.jump(t.cold.address())
		t.cold.restore(x86.RCX)
		t.exitLeft()
	}
	t.hot.restore(x86.RCX)
}

// exitLeft adds the exit before the current instruction, whose count has been subtracted.
func (t *translation) exitLeft() {
	t.exit(Exit{Kind: ExitLeft, Target: t.planned[t.current].in.PC, Undone: t.undone(), Counter: t.counter})
}

// undone returns the number of instructions that are counted and not executed before the
// current one is. It is negative if more are executed.
func (t *translation) undone() int { return t.counted - t.current }
