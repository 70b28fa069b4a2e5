package interp

import (
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A vectorOp is a row of the table of vector instructions.
type vectorOp struct {
	run   vectorFunc
	lane  uint8   // bytes of an element, the unit of masks and broadcasts
	sse   feature // required by the legacy encoding, beyond SSE2
	vex   feature // required by VEX, if not AVX, or AVX2 for 256-bit integers
	evex  feature // required by EVEX, beyond AVX512F, BW for small elements, and VL
	least uint8   // length of the shortest vector in bytes, if not 16
	kinds opKind
}

// opKind is a set of properties of a vectorOp.
type opKind uint16

const (
	floats        opKind = 1 << iota // arithmetic that depends on MXCSR; implies lanes256
	lanes256                         // 256 bits with VEX do not need AVX2
	scalar                           // only the lowest element
	unaligned                        // 16-byte memory operands need not be aligned
	anyW                             // VEX.W and EVEX.W are ignored
	allLanes                         // EVEX does not permit a mask
	masks                            // all operands are mask registers, except in moves
	w0                               // W must be 0
	w1                               // W must be 1 with EVEX
	wideVAES                         // beyond 128 bits VEX needs the same feature as EVEX; the size of lanes does not matter
	quadBroadcast                    // W must be 1 with VEX and EVEX; lanes are bytes but do not need BW
	registers                        // has no form with memory
	counts                           // shifts: by an immediate, only EVEX has a form that shifts memory
)

// A vectorFunc computes the result of a vector instruction. It returns false if
// the processor must execute it.
type vectorFunc func(o *operation) bool

// A vectorPlan is a decoded vector instruction, ready to be executed.
type vectorPlan struct {
	vectorOp
	dst, a, b, c x86.Operand
	bytes        int // of the result
	length       int // of the vectors, in bytes
	immediate    bool
	encoding     x86.Encoding
	mask         uint8
	zeroing      bool
	broadcast    bool
	align        uint64 // of memory
}

// planVector returns the plan of a vector instruction, or nil if the processor
// must execute it.
func planVector(in *x86.Inst) *vectorPlan {
	op, ok := vectorOps()[in.Stem()]
	if !ok || in.Rounding() || in.Class&(x86.Vector|refused&^x86.FP) != 0 || in.Locked() {
		return nil
	}
	p := &vectorPlan{vectorOp: op, encoding: in.Encoding(), length: in.VectorSize(), broadcast: in.Broadcast()}
	p.mask, p.zeroing = in.WriteMask()
	if !p.operands(in) || !p.wellFormed(in) || !p.available(in) {
		return nil
	}
	p.align = p.alignment(in)
	return p
}

// operands assigns the operands: the destination, the first and second sources,
// and a third. Without a first source the destination is the first source, as in
// the legacy encoding.
func (p *vectorPlan) operands(in *x86.Inst) bool {
	var list []x86.Operand
	for n := range 4 {
		switch o := in.Operand(n); o.Kind {
		case x86.NoOperand:
		case x86.Immediate:
			p.immediate = true
		case x86.VectorReg, x86.MaskReg, x86.Register, x86.InMemory:
			list = append(list, o)
		default:
			return false
		}
	}
	if len(list) == 0 {
		return false
	}
	first := list[0]
	p.dst, p.a, p.b = first, first, first
	if in.ReadOnly() {
		p.dst = x86.Operand{}
	}
	switch sources := list[1:]; len(sources) {
	case 0:
	case 1:
		p.b = sources[0]
	default:
		p.a, p.b = sources[0], sources[1]
		if len(sources) > 2 {
			p.c = sources[2]
		}
		if fixed := p.c.Kind == x86.NoOperand && in.Encoding() == x86.Legacy; fixed {
			p.a, p.b, p.c = first, sources[0], sources[1]
		}
	}
	p.bytes = int(p.dst.Size)
	return p.b.Kind != x86.InMemory || in.Mem.Size > 0 && in.Mem.Size <= vectorBytes
}

// wellFormed reports whether the processor accepts the fields of VEX or EVEX.
func (p *vectorPlan) wellFormed(in *x86.Inst) bool {
	if p.length == vectorBytes && p.encoding != x86.EVEX || p.length < int(p.least) {
		return false
	}
	if p.kinds&masks != 0 {
		return p.wellFormedMasks(in)
	}
	if p.length > 16 && p.kinds&scalar == 0 && p.narrow(in) {
		return false
	}
	switch p.encoding {
	case x86.EVEX:
		return p.wellFormedEVEX(in)
	case x86.VEX:
		if p.kinds&quadBroadcast != 0 && !in.Wide() {
			return false
		}
		return (in.Shared() || p.kinds&anyW != 0 || in.Wide() == (p.kinds&w1 != 0)) && !p.countsInMemory(in)
	}
	return !p.countsInMemory(in)
}

// wellFormedEVEX is wellFormed for fields that only EVEX has. Scalar instructions
// with a vector length above the shortest are left to the processor.
func (p *vectorPlan) wellFormedEVEX(in *x86.Inst) bool {
	masked := p.mask != 0
	switch {
	case p.zeroing && (!masked || p.dst.Kind != x86.VectorReg), masked && p.kinds&allLanes != 0:
		return false
	case in.Class&x86.Memory != 0 && p.kinds&registers != 0:
		return false
	case p.kinds&scalar != 0 && p.length > 16:
		return false
	case in.Class&x86.Memory != 0 && slices.Contains(fromGeneralOpcodes, in.Opcode()) && strings.HasPrefix(in.Stem(), "pbroadcast"):
		return false
	case p.kinds&(w0|w1) != 0:
		return in.Wide() == (p.kinds&w1 != 0)
	}
	return p.kinds&anyW != 0 || p.lane < 4 || in.Wide() == (p.lane == 8)
}

// fromGeneralOpcodes lists broadcasts of a general register, which have no form
// with memory.
var fromGeneralOpcodes = []uint8{0x7a, 0x7b, 0x7c}

// countsInMemory reports whether the instruction shifts memory by an immediate.
func (p *vectorPlan) countsInMemory(in *x86.Inst) bool {
	return p.kinds&counts != 0 && p.immediate && in.Class&x86.Memory != 0
}

// wellFormedMasks is wellFormed for instructions on masks. Those with three
// registers, and only those, have VEX.L set. Only moves access memory.
func (p *vectorPlan) wellFormedMasks(in *x86.Inst) bool {
	three := in.Operand(2).Kind == x86.MaskReg
	if three != (p.length == 32) || p.kinds&w0 != 0 && in.Wide() {
		return false
	}
	move := strings.HasPrefix(in.Stem(), "kmov")
	switch in.Opcode() {
	case 0x91: // from a mask to memory
		return move && in.Class&x86.Memory != 0
	case 0x90: // from a mask or memory to a mask
		return move
	}
	return in.Class&x86.Memory == 0
}

// narrow reports whether all vector operands have 128 bits regardless of the
// vector length.
func (p *vectorPlan) narrow(in *x86.Inst) bool {
	vectors := 0
	for n := range 4 {
		if o := in.Operand(n); o.Kind == x86.VectorReg {
			if o.Size > 16 {
				return false
			}
			vectors++
		}
	}
	return vectors > 0
}

// alwaysAligned lists instructions that require alignment in every encoding.
var alwaysAligned = strings.Fields("movaps movapd movdqa movdqa32 movdqa64 movntps movntpd movntdq movntdqa")

// alignment returns the alignment that a memory address must have.
func (p *vectorPlan) alignment(in *x86.Inst) uint64 {
	switch {
	case slices.Contains(alwaysAligned, in.Stem()):
		return uint64(in.Mem.Size)
	case p.encoding == x86.Legacy && in.Mem.Size == 16 && p.kinds&unaligned == 0:
		return 16
	}
	return 1
}

// available reports whether this processor supports the instruction.
func (p *vectorPlan) available(in *x86.Inst) bool {
	needs := p.sse
	switch p.encoding {
	case x86.VEX:
		needs = avx
		if p.length == 32 && p.kinds&(floats|lanes256) == 0 {
			needs = avx2
		}
		if p.vex != 0 {
			needs = p.vex
		}
		if p.kinds&wideVAES != 0 && p.length > 16 {
			needs |= p.evex
		}
	case x86.EVEX:
		needs = avx512f | p.evex
		if p.lane < 4 && p.kinds&(wideVAES|quadBroadcast) == 0 {
			needs |= avx512bw
		}
		if p.length < vectorBytes && p.kinds&scalar == 0 && !p.narrow(in) {
			needs |= avx512vl
		}
	}
	return machineFeatures()&needs == needs
}
