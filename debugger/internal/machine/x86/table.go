package x86

// A row describes one instruction, or, when it selects, a group of them.
//
// The name may hold alternatives that are separated by a slash: by operand
// size (bySize: word/doubleword/quadword) or by W (nameW: W0/W1).
type row struct {
	name string
	ops  operands
	attr attr
}

// A slot has the rows of one opcode by mandatory prefix: none, 66, F3, F2.
type slot [4]row

// Opcodes has the slots of a map by opcode. Most maps have few: nil is one
// without rows.
type opcodes [256]*slot

// at is the slot of an opcode.
func (o *opcodes) at(op uint8) *slot {
	if s := o[op]; s != nil {
		return s
	}
	return &noRows
}

var noRows slot

// Indexes of a slot.
const (
	p66 = 1
	pF3 = 2
	pF2 = 3
)

// attr is a set of facts about a row.
type attr uint64

// How a group is selected from. The number of the group is in the low byte of
// the attr; a group has eight rows, in which an empty operand list stands for
// that of the row which selects.
const (
	groupMask attr = 1<<8 - 1

	byReg   attr = 1 << (8 + iota) // by ModRM.reg
	byMod                          // 0 memory, 1 register
	byRM                           // by ModRM.rm
	byPP                           // by mandatory prefix
	byW                            // by REX.W, VEX.W or EVEX.W
	byL                            // by vector length: 0 128, 1 longer
	byREXB                         // by REX.B
	selects = byReg | byMod | byRM | byPP | byW | byL | byREXB
)

// What the instruction does. Nothing is said of the ordinary case: operand 0
// is written, and nothing else in memory.
const (
	readOnly  attr = 1 << (16 + iota) // operand 0 is read, not written
	pushes                            // writes below the stack pointer
	blockRep                          // a string operation: F2 and F3 repeat it
	bitString                         // a bit offset in a register reaches outside the operand
	touchesFP                         // changes FP or vector state beyond its operand 0
	privileged
	barrier // effects that Writes does not cover
	jump    // flow of control, one of these
	jumpCond
	call
	ret
	system
	trap
	def64     // operand size is 64 unless 66 says 16
	bySize    // name by operand size
	nameW     // name by W
	suffixSD  // name gets s or d by W
	suffixDQ  // name gets d or q by W
	anyPrefix // no mandatory prefix: 66 is an operand size, F2 and F3 mean nothing
	noVEX     // has no VEX form
	evex      // has an EVEX form
	bcast2    // EVEX: memory may be one element of 2, 4, 8 bytes, repeated
	bcast4
	bcast8
	bcastW   // 4 or 8 by W
	rounds   // EVEX: a register form may carry a rounding mode
	sae      // EVEX: a register form may suppress exceptions
	element  // EVEX: displacement counts elements of 4 or 8 bytes by W
	elementB // likewise 1 or 2 bytes
	vsib     // memory operand has a vector of indexes
	predFP   // last operand is a comparison predicate of floating point
	predInt  // likewise of integers
	hideOps  // operands are not shown
	popsMem  // its address is reckoned after rsp has moved
	pushesFlags
	opaque   // memory without a width that has a name
	storesDI // writes its operand at [rdi], too
	popsFlag // loads the flags register from memory
	f64      // operand size is always 64
)
