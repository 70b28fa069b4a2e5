package translate

import "github.com/triptych-mcp/triptych/debugger/internal/x86"

// branches are the classes of instructions that continue elsewhere.
const branches = x86.Jump | x86.Call | x86.Return

// A planned instruction is one of a block. Where it is a branch in the middle of the
// block, the block continues at next, and the program may leave it for side.
type planned struct {
	in         x86.Inst
	code       []byte
	next, side uint64
}

// Limits of blocks that continue behind branches. Code behind a branch is translated
// again for each block that reaches it.
const (
	maxBehind = 40 // instructions before a branch behind which a block continues
	maxRounds = 8  // repetitions of a loop
)

// plan chooses the instructions of the block. A block continues behind a conditional
// branch, since counting the instructions of another block costs more than leaving
// this one, and a loop is repeated in the block.
func (t *translation) plan() {
	t.end = t.PC
	for rounds := 0; len(t.planned) < t.Limit; {
		in, code, err := t.Fetch.decode(t.end)
		if t.native = err != nil || isNative(&in, code); t.native {
			return
		}
		p := planned{in: in, code: code, next: in.Next()}
		last := in.Class&(branches|x86.Syscall) != 0 && !t.continues(&p, &rounds)
		t.planned = append(t.planned, p)
		t.end = p.next
		if last {
			return
		}
	}
}

// continues reports whether the block continues behind a branch, and where.
func (t *translation) continues(p *planned, rounds *int) bool {
	target, direct := p.in.Target()
	switch {
	case !direct || p.in.Class.Is(x86.Call) || isShortOnly(p):
		return false
	case target == t.PC:
		*rounds++
		p.next, p.side = target, p.in.Next()
		return *rounds < maxRounds && (len(t.planned)+1)/(*rounds)*(*rounds+1) <= t.Limit
	case len(t.planned) >= maxBehind:
		return false
	case !p.in.Class.Is(x86.Cond):
		p.next = target
		return target > p.in.PC
	}
	p.side = target
	return target > p.in.PC
}

// isShortOnly reports whether the instruction is loop or jrcxz.
func isShortOnly(p *planned) bool {
	s := shapeOf(p.code)
	return s.escape == 0 && s.opcode&0xfc == 0xe0
}
