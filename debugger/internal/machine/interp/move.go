package interp

import (
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

func nothing(*Machine, *instruction) bool { return true }

func move(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.src)
	return ok && m.set(i, &i.dst, v)
}

func moveSigned(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.src)
	return ok && m.set(i, &i.dst, extend(v, i.src.Size))
}

func lea(m *Machine, i *instruction) bool {
	plain := i.in
	plain.Mem.Seg = x86.NoReg // lea ignores the segment
	return m.set(i, &i.dst, plain.Addr(&m.Regs))
}

func exchange(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	return ok && m.set(i, &i.dst, b) && m.set(i, &i.src, a)
}

func byteSwap(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.dst)
	if !ok || i.in.OperandSize() == 2 {
		return false
	}
	return m.set(i, &i.dst, bits.ReverseBytes64(v)>>(64-8*uint(i.size)))
}

func moveSwapped(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.src)
	return ok && m.set(i, &i.dst, bits.ReverseBytes64(v)>>(64-8*uint(i.size)))
}

func moveIf(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	if !ok {
		return false
	}
	if m.condition(i.cc) {
		a = b
	}
	return m.set(i, &i.dst, a) // clears the upper half even if the condition is false
}

func setIf(m *Machine, i *instruction) bool {
	return m.set(i, &i.dst, flagIf(m.condition(i.cc), 1))
}

// push also accepts immediates, which are sign-extended to the operand size.
func push(m *Machine, i *instruction) bool {
	v, ok := m.get(i, &i.dst)
	return ok && m.push(v, uint8(i.in.OperandSize()))
}

// pop increments the stack pointer before it writes: pop rsp loads the popped
// value, and an address that uses rsp uses the incremented value. Addr accounts
// for that.
func pop(m *Machine, i *instruction) bool {
	n := uint8(i.in.OperandSize())
	rsp := m.GPR[x86.RSP]
	v, ok := m.memory.load(rsp, n)
	if !ok {
		return false
	}
	if i.dst.Kind == x86.InMemory {
		if !m.set(i, &i.dst, v) {
			return false
		}
		m.setReg(x86.RSP, rsp+uint64(n))
		return true
	}
	m.setReg(x86.RSP, rsp+uint64(n))
	return m.set(i, &i.dst, v)
}

func leave(m *Machine, i *instruction) bool {
	n := uint8(i.in.OperandSize())
	rbp := m.GPR[x86.RBP]
	v, ok := m.memory.load(rbp, n)
	if !ok || n != 8 {
		return false
	}
	m.setReg(x86.RBP, v)
	m.setReg(x86.RSP, rbp+8)
	return true
}

// accumulator returns the operand for the low n bytes of rax.
func accumulator(n uint8) x86.Operand { return x86.Operand{Kind: x86.Register, Reg: x86.RAX, Size: n} }

// widen executes cbw, cwde and cdqe, which sign-extend the lower half of the
// accumulator.
func widen(m *Machine, i *instruction) bool {
	n := uint8(i.in.OperandSize())
	dst := accumulator(n)
	return m.set(i, &dst, extend(m.GPR[x86.RAX], n/2))
}

// spread executes cwd, cdq and cqo, which fill rdx with the sign of the
// accumulator.
func spread(m *Machine, i *instruction) bool {
	n := uint8(i.in.OperandSize())
	dst := x86.Operand{Kind: x86.Register, Reg: x86.RDX, Size: n}
	return m.set(i, &dst, uint64(int64(extend(m.GPR[x86.RAX], n))>>63))
}
