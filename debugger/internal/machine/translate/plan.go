package translate

import (
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// branches are the classes of instructions that continue elsewhere.
const branches = x86.Jump | x86.Call | x86.Return

// A planned instruction is one of a block. Where it is a branch in the middle of the
// block, the block continues at next, and the program may leave it for side. A return
// continues at next if it leads there.
type planned struct {
	in         x86.Inst
	code       []byte
	next, side uint64
	variable   bool // the program may change it
	logged     bool // before it is executed
	address    bool // so is the address of its memory
	logsJump   bool // it is a conditional jump that is logged when it jumps
	counting   counting
}

// Limits of blocks that continue behind branches. Code behind a branch is translated
// again for each block that reaches it.
const (
	maxBehind = 40 // instructions before a branch behind which a block continues
	maxRounds = 8  // repetitions of a loop
	maxCalls  = 4  // calls that have not returned, of which a block has the code
)

// behind returns the number of instructions before a branch behind which the block continues,
// and calls that of functions in it that have not returned.
func (t *translation) behind() (most, calls int) {
	if t.Compact {
		return 0, 0
	}
	return maxBehind, maxCalls
}

// plan chooses the instructions of the block. A block continues behind a conditional
// branch, since counting the instructions of another block costs more than leaving
// this one, and a loop is repeated in the block. It continues in a function that it calls,
// too: a return from there only compares the address that it finds.
func (t *translation) plan() {
	t.end = t.PC
	for rounds := 0; len(t.planned) < t.Limit; {
		n := len(t.planned)
		t.planned = slices.Grow(t.planned, 1)
		p := &t.planned[:n+1][n] // it becomes one of them below
		err := t.decode(p, t.end)
		if t.native = err != nil || t.inPlace(p) || t.stops(); t.native {
			return
		}
		in := &p.in
		if p.variable {
			t.Limit = min(t.Limit, maxVariable)
		}
		last := in.Class&(branches|x86.Syscall) != 0 && !t.passes(p) && !t.continues(p, &rounds)
		t.planned = t.planned[:n+1]
		t.end = p.next
		if last {
			return
		}
	}
}

// decode makes p the instruction at an address.
func (t *translation) decode(p *planned, pc uint64) error {
	p.side, p.variable, p.counting = 0, false, counting{}
	err := t.decodeText(p, t.Fetch, pc)
	if err != nil && t.Variable != nil {
		err = t.decodeText(p, t.Variable, pc)
		p.variable = true
	}
	p.next = p.in.Next()
	if p.logged, p.logsJump = false, false; err == nil && t.Log != nil {
		p.logged, p.logsJump = t.logs(&p.in)
	}
	p.address = err == nil && t.LogMemory != nil && t.LogMemory(&p.in)
	return err
}

// inPlace reports whether an instruction is executed in its original place: a native one, loop
// and jrcxz where their jumps are logged, for which there is no translation, and those of InPlace.
func (t *translation) inPlace(p *planned) bool {
	return isNative(&p.in, p.code) && !t.copies(p) || p.logsJump && isShortOnly(p) || t.InPlace != nil && t.InPlace(&p.in)
}

// stops reports whether the program stops before the next instruction.
func (t *translation) stops() bool {
	return t.Stops != nil && (len(t.planned) > 0 || !t.Passes) && t.Stops(t.end)
}

// copies reports whether an instruction, which is native, is the one to copy.
func (t *translation) copies(p *planned) bool {
	return t.Copy && len(t.planned) == 0 && Copyable(&p.in)
}

// passes reports whether the block continues in a function that it calls, or behind the
// call that a return belongs to, and where. Code that may change is not reached like that.
func (t *translation) passes(p *planned) bool {
	open := len(t.returns)
	behind, calls := t.behind()
	target, direct := p.in.Target()
	switch {
	case p.variable:
	case p.in.Class.Is(x86.Call) && direct && target != t.PC && open < calls && len(t.planned) < behind && t.fixed(target):
		p.next = target
		t.returns = append(t.returns, p.in.Next())
		return true
	case p.in.Class.Is(x86.Return) && p.in.Imm == 0 && open > 0 && len(t.planned) < t.Limit-1 && t.fixed(t.returns[open-1]):
		p.next = t.returns[open-1]
		t.returns = t.returns[:open-1]
		return true
	}
	return false
}

// fixed reports whether the instruction at an address is code that does not change.
func (t *translation) fixed(pc uint64) bool {
	_, _, err := t.Fetch.decode(pc)
	return err == nil
}

// continues reports whether the block continues behind a branch, and where.
func (t *translation) continues(p *planned, rounds *int) bool {
	target, direct := p.in.Target()
	behind, _ := t.behind()
	switch {
	case !direct || p.in.Class.Is(x86.Call) || isShortOnly(p) || p.in.Class.Is(x86.Cond) && (p.logged || p.logsJump):
		return false
	case p.variable:
		p.side = target
		return p.in.Class.Is(x86.Cond) && target > p.in.PC
	case target == t.PC:
		*rounds++
		p.next, p.side = target, p.in.Next()
		return *rounds < maxRounds && (len(t.planned)+1)/(*rounds)*(*rounds+1) <= t.Limit
	case len(t.planned) >= behind:
		return false
	case !p.in.Class.Is(x86.Cond):
		p.next = target
		return target > p.in.PC && t.fixed(target)
	}
	p.side = target
	return target > p.in.PC
}

// isShortOnly reports whether the instruction is loop or jrcxz.
func isShortOnly(p *planned) bool {
	s := shapeOf(p.code)
	return s.escape == 0 && s.opcode&0xfc == 0xe0
}
