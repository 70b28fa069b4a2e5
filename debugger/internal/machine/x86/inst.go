package x86

import "errors"

// MaxLen is the length in bytes of the longest instruction.
const MaxLen = 15

// Errors of [Decode].
var (
	// ErrTruncated reports that the bytes end inside an instruction.
	ErrTruncated = errors.New("truncated instruction")
	// ErrUnknown reports bytes that are not an instruction, or not one that this
	// package supports. Their effects are unknown.
	ErrUnknown = errors.New("unknown instruction")
)

// Inst is a decoded instruction. It holds no pointer to the bytes that it was
// made of; the zero Inst is not an instruction.
type Inst struct {
	PC    uint64 // address of the first byte
	Imm   int64  // immediate or branch displacement, extended as the instruction does
	Mem   Mem    // memory operand; empty unless Class has Memory
	Class Class
	Len   uint8 // in bytes

	row    *row
	ops    operands // of the row, or of the row that selected it
	bits   bitset
	opsize uint8 // operand size in bytes
	vector uint8 // vector length in bytes
	opcode uint8
	modrm  uint8
	reg    uint8 // register in ModRM.reg
	rm     uint8 // register in ModRM.rm
	vvvv   uint8 // register in VEX.vvvv
	mask   uint8 // EVEX mask register
	imm2   uint8 // second immediate
}

// A Mem is a memory operand: Seg:[Base + Index*Scale + Disp].
type Mem struct {
	Disp  int64
	Size  uint16 // bytes read or written; 0 when that is no fixed number
	Base  Reg    // NoReg, RIP or a general register
	Index Reg    // NoReg, or a general register; with Class Vector a vector register 0-31
	Scale uint8  // 1, 2, 4 or 8
	Seg   Reg    // NoReg, FS or GS: the segments that have a base
}

// A Reg is a register of an address.
type Reg uint8

// Registers of addresses. General registers have the numbers that encode them.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	RIP   Reg = 0x40
	FS    Reg = 0x44
	GS    Reg = 0x45
	NoReg Reg = 0xff
)

// Class is a set of facts about an instruction.
type Class uint32

// Facts about instructions.
const (
	Memory     Class = 1 << iota // has a memory operand, see Inst.Mem
	Store                        // writes memory; see Inst.Writes
	FP                           // may change x87, MMX, vector, mask, tile or other extended state
	Repeat                       // string operation with a repeat prefix
	Vector                       // the index of the memory operand is a vector
	Jump                         // goes elsewhere; with Cond, perhaps
	Cond                         // depends on flags, rcx or a transaction
	Call                         //
	Return                       //
	Indirect                     // where it goes is in a register or in memory
	Syscall                      // syscall, sysenter, int n: the kernel runs
	Trap                         // int3, int1, ud: raises an exception
	PushFlags                    // stores the flags register, with the trap flag
	PopFlags                     // loads the flags register
	Privileged                   // faults outside the kernel, or without leave to do input and output
	Barrier                      // effects that Writes does not cover, such as scattered stores

)

// Is reports whether the instruction has all of the given facts.
func (c Class) Is(facts Class) bool { return c&facts == facts }

// A bitset has prefixes and single bits of the encoding.
type bitset uint32

const (
	bitW bitset = 1 << iota
	bitR        // extends ModRM.reg
	bitX        // extends SIB.index
	bitB        // extends ModRM.rm, SIB.base and the opcode's register
	bitREX
	bitOpSize
	bitAddr32
	bitF3
	bitF2
	bitLock
	bitVEX  // VEX or EVEX
	bitEVEX //
	bitR2   // EVEX.R'
	bitV2   // EVEX.V', extends vvvv and a vector of indexes
	bitZero // EVEX.z
	bitBcst // EVEX.b
	bitAddV // the name wants a v in front
	bitModRM
	bitImm // an immediate has been read
)

// Next returns the address of the following instruction.
func (in *Inst) Next() uint64 { return in.PC + uint64(in.Len) }

// Target returns where a direct jump or call goes; ok is false for other
// instructions.
func (in *Inst) Target() (addr uint64, ok bool) {
	if in.Class&(Jump|Call) == 0 || in.Class&Indirect != 0 {
		return 0, false
	}
	return in.Next() + uint64(in.Imm), true
}
