package interp

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// near reports whether a branch has an operand size of 64 bits.
func near(i *instruction) bool { return i.in.OperandSize() == 8 }

func jump(m *Machine, i *instruction) bool {
	to, ok := m.get(i, &i.dst)
	return ok && near(i) && m.jump(to)
}

func jumpIf(m *Machine, i *instruction) bool {
	if !m.condition(i.cc) {
		return true
	}
	return m.jump(uint64(i.dst.Value))
}

func jumpZero(m *Machine, i *instruction) bool {
	if i.in.Addr32() {
		return false
	}
	if m.GPR[x86.RCX] != 0 {
		return true
	}
	return m.jump(uint64(i.dst.Value))
}

func loop(m *Machine, i *instruction) bool {
	if i.in.Addr32() {
		return false
	}
	count := m.GPR[x86.RCX] - 1
	if count != 0 && !m.jump(uint64(i.dst.Value)) {
		return false
	}
	m.setReg(x86.RCX, count)
	return true
}

func call(m *Machine, i *instruction) bool {
	to, ok := m.get(i, &i.dst)
	return ok && near(i) && canonical(to) && m.push(i.in.Next(), 8) && m.jump(to)
}

// ret also removes from the stack the number of bytes that the immediate gives.
func ret(m *Machine, i *instruction) bool {
	rsp := m.GPR[x86.RSP]
	to, ok := m.memory.load(rsp, 8)
	if !ok || !near(i) || !m.jump(to) {
		return false
	}
	m.setReg(x86.RSP, rsp+8+uint64(i.dst.Value))
	return true
}
