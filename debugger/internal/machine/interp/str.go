package interp

import "github.com/triptych-mcp/triptych/debugger/internal/machine/x86"

// stride returns the distance by which a string operation moves its index
// registers, negative if the direction flag is set.
func (m *Machine) stride(n uint8) uint64 {
	if m.Flags&direction != 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// iterate executes one iteration of a string operation, or none if a repeat
// prefix is present and rcx is zero.
func (m *Machine) iterate(i *instruction, body func() bool) bool {
	if i.in.Addr32() {
		return false
	}
	if !i.in.Class.Is(x86.Repeat) {
		return body()
	}
	if m.RefuseRepeats {
		return false
	}
	count := m.GPR[x86.RCX]
	if count == 0 {
		return true
	}
	if !body() {
		return false
	}
	m.setReg(x86.RCX, count-1)
	if count > 1 {
		m.next = m.RIP
	}
	return true
}

// stringSource returns the address that a string operation reads from, which may
// have a segment override.
func (m *Machine) stringSource(i *instruction) uint64 {
	switch from := m.GPR[x86.RSI]; i.in.Mem.Seg {
	case x86.FS:
		return from + m.FSBase
	case x86.GS:
		return from + m.GSBase
	default:
		return from
	}
}

func moveString(m *Machine, i *instruction) bool {
	n := i.dst.Size
	return m.iterate(i, func() bool {
		v, ok := m.memory.load(m.stringSource(i), n)
		if !ok || !m.store(m.GPR[x86.RDI], n, v) {
			return false
		}
		m.setReg(x86.RSI, m.GPR[x86.RSI]+m.stride(n))
		m.setReg(x86.RDI, m.GPR[x86.RDI]+m.stride(n))
		return true
	})
}

func loadString(m *Machine, i *instruction) bool {
	n := i.dst.Size
	return m.iterate(i, func() bool {
		v, ok := m.memory.load(m.stringSource(i), n)
		if !ok || !m.set(i, &i.dst, v) {
			return false
		}
		m.setReg(x86.RSI, m.GPR[x86.RSI]+m.stride(n))
		return true
	})
}

func storeString(m *Machine, i *instruction) bool {
	n := i.dst.Size
	return m.iterate(i, func() bool {
		if !m.store(m.GPR[x86.RDI], n, m.GPR[x86.RAX]&mask(n)) {
			return false
		}
		m.setReg(x86.RDI, m.GPR[x86.RDI]+m.stride(n))
		return true
	})
}

// compareWith executes one iteration of a string comparison of a and v. A repeat
// prefix ends the loop when the values are equal (repne) or differ (repe). Processors
// differ in the flags of a loop that goes on.
func (m *Machine) compareWith(i *instruction, n uint8, values func() (a, v uint64, ok bool), move func()) bool {
	equal := false
	before := m.GPR[x86.RCX]
	repeats := i.in.Class.Is(x86.Repeat)
	if repeats && !m.Processor.Known {
		return false
	}
	if !m.iterate(i, func() bool {
		a, v, ok := values()
		if ok {
			equal = a == v
			if goesOn := repeats && before > 1 && equal == i.in.RepeatWhileEqual(); !goesOn || !m.Processor.KeepsFlags {
				m.setFlags(arithmetic, subFlags(a, v, a-v, n))
			}
			move()
		}
		return ok
	}) {
		return false
	}
	if before != 0 && repeats && equal != i.in.RepeatWhileEqual() {
		m.next = i.in.Next()
	}
	return true
}

func scanString(m *Machine, i *instruction) bool {
	n := i.src.Size
	return m.compareWith(i, n, func() (a, v uint64, ok bool) {
		v, ok = m.memory.load(m.GPR[x86.RDI], n)
		return m.GPR[x86.RAX] & mask(n), v, ok
	}, func() { m.setReg(x86.RDI, m.GPR[x86.RDI]+m.stride(n)) })
}

func compareStrings(m *Machine, i *instruction) bool {
	n := i.src.Size
	return m.compareWith(i, n, func() (a, v uint64, ok bool) {
		a, ok1 := m.memory.load(m.stringSource(i), n)
		v, ok2 := m.memory.load(m.GPR[x86.RDI], n)
		return a, v, ok1 && ok2
	}, func() {
		m.setReg(x86.RSI, m.GPR[x86.RSI]+m.stride(n))
		m.setReg(x86.RDI, m.GPR[x86.RDI]+m.stride(n))
	})
}
