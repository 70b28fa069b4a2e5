package interp

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// An operation is a vector instruction in progress.
type operation struct {
	a, b, c Vector // sources
	r       Vector // the result; initially the contents of the destination
	p       *vectorPlan
	bytes   int    // of the result, 0 if there is none
	imm     uint8  // immediate
	active  uint64 // lanes that are computed
	lanes   uint64 // lanes for which a comparison was true
	flags   uint64 // flags that the instruction sets, if flagged
	flagged bool
	mxcsr   uint32
}

// stepVector executes a vector instruction:
//
//	stepVector
//	├─ sources     reads registers, masks, memory, broadcasts
//	├─ plan.run    computes the result
//	└─ finish      writes the result through the write mask
func stepVector(m *Machine, i *instruction) bool {
	p := i.vector
	if !m.loadVectors() || p.kinds&floats != 0 && !ordinaryControl(m.vectors.MXCSR) {
		return false
	}
	o := &m.operation
	o.p, o.bytes, o.imm, o.lanes, o.flagged, o.mxcsr = p, p.bytes, uint8(i.in.Imm), 0, false, m.vectors.MXCSR
	o.active = ^uint64(0)
	if p.mask != 0 {
		o.active = m.vectors.Mask[p.mask]
	}
	if !m.sources(i, o) || !p.run(o) || !m.finish(i, o) {
		return false
	}
	if o.flagged {
		m.setFlags(arithmetic, o.flags)
	}
	m.setMXCSR(o.mxcsr)
	return true
}

// sources reads the operands. The result is initialized with the contents of the
// destination.
func (m *Machine) sources(i *instruction, o *operation) bool {
	p := o.p
	if p.dst.Kind == x86.VectorReg {
		o.r = m.vectors.Reg[p.dst.Reg&31]
	}
	if p.c.Kind == x86.VectorReg {
		o.c = m.vectors.Reg[p.c.Reg&31]
	}
	return m.source(i, &p.a, &o.a, true) && m.source(i, &p.b, &o.b, false)
}

// source reads one operand. If the first source is in memory, it is a destination
// that is only written.
func (m *Machine) source(i *instruction, from *x86.Operand, to *Vector, first bool) bool {
	switch from.Kind {
	case x86.VectorReg:
		*to = m.vectors.Reg[from.Reg&31]
	case x86.MaskReg:
		*to = Vector{m.vectors.Mask[from.Reg&7] & mask(from.Size)}
	case x86.Register:
		*to = Vector{m.GPR[from.Reg&15] & mask(from.Size)}
	case x86.InMemory:
		return first || m.loadVector(i, to)
	}
	return true
}

// loadVector reads the memory operand.
func (m *Machine) loadVector(i *instruction, to *Vector) bool {
	addr, n := i.in.Addr(&m.Regs), int(i.in.Mem.Size)
	if addr%i.vector.align != 0 {
		return false
	}
	*to = Vector{}
	for k := 0; k < n; k += 8 {
		v, ok := m.memory.load(addr+uint64(k), uint8(min(n-k, 8)))
		if !ok {
			return false
		}
		to[k/8] = v
	}
	if i.vector.broadcast {
		to.repeat(n, i.vector.length)
	}
	return true
}

// repeat fills length bytes with copies of the first n, which is 2, 4 or 8.
func (v *Vector) repeat(n, length int) {
	word := v[0]
	for w := n; w < 8; w *= 2 {
		word |= word << (8 * w)
	}
	for k := range length / 8 {
		v[k] = word
	}
}

// finish writes the result.
func (m *Machine) finish(i *instruction, o *operation) bool {
	p := o.p
	switch p.dst.Kind {
	case x86.VectorReg:
		m.finishVector(o)
	case x86.MaskReg:
		m.setMask(uint8(p.dst.Reg), o.r[0])
	case x86.Register:
		return m.set(i, &p.dst, o.r[0])
	case x86.InMemory:
		return m.storeVector(i, o)
	}
	return true
}

// finishVector writes a vector register. Elements outside the write mask are
// unchanged or cleared, and the bits above the result are cleared.
func (m *Machine) finishVector(o *operation) {
	p := o.p
	bytes := lowBits(max(o.bytes, 16))
	old := m.vectors.Reg[p.dst.Reg&31]
	if p.encoding == x86.Legacy {
		old.merge(&o.r, bytes)
		m.setVector(uint8(p.dst.Reg), &old)
		return
	}
	if p.mask != 0 {
		written := spreadLanes(o.active, int(p.lane))
		if p.kinds&scalar != 0 {
			written |= ^lowBits(int(p.lane))
		}
		if p.zeroing {
			old = Vector{}
		}
		old.merge(&o.r, written)
		o.r = old
	}
	if p.kinds&scalar == 0 {
		o.r.keep(o.bytes)
	} else {
		o.r.keep(16)
	}
	m.setVector(uint8(p.dst.Reg), &o.r)
}

// storeVector writes memory, lane by lane if there is a mask.
func (m *Machine) storeVector(i *instruction, o *operation) bool {
	addr, n := i.in.Addr(&m.Regs), int(i.in.Mem.Size)
	if addr%o.p.align != 0 || n == 0 || n > vectorBytes || !m.memory.writable(addr, uint8(n)) {
		return false
	}
	step := 8
	if o.active != ^uint64(0) {
		step = int(o.p.lane)
	}
	for k := 0; k < n; k += step {
		if o.active>>(k/step)&1 != 0 || step == 8 && o.active == ^uint64(0) {
			w := min(n-k, step)
			m.store(addr+uint64(k), uint8(w), o.r[k/8]>>(k%8*8)&mask(uint8(w)))
		}
	}
	return true
}
