package interp

import "github.com/triptych-mcp/triptych/debugger/x86"

// stride is how far a string operation moves.
func (m *Machine) stride(n uint8) uint64 {
	if m.Flags&direction != 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// iterate does one iteration of a string operation, unless a repeat prefix says
// that there is none left.
func (m *Machine) iterate(i *instruction, body func() bool) bool {
	if i.in.Addr32() {
		return false
	}
	if !i.in.Class.Is(x86.Repeat) {
		return body()
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

func moveString(m *Machine, i *instruction) bool {
	n := i.dst.Size
	return m.iterate(i, func() bool {
		from := m.GPR[x86.RSI]
		switch i.in.Mem.Seg {
		case x86.FS:
			from += m.FSBase
		case x86.GS:
			from += m.GSBase
		}
		v, ok := m.memory.load(from, n)
		if !ok || !m.store(m.GPR[x86.RDI], n, v) {
			return false
		}
		m.setReg(x86.RSI, m.GPR[x86.RSI]+m.stride(n))
		m.setReg(x86.RDI, m.GPR[x86.RDI]+m.stride(n))
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

// scanString compares without a prefix; how a repeated one ends is the
// processor's.
func scanString(m *Machine, i *instruction) bool {
	n := i.src.Size
	v, ok := m.memory.load(m.GPR[x86.RDI], n)
	if !ok || i.in.Class.Is(x86.Repeat) || i.in.Addr32() {
		return false
	}
	a := m.GPR[x86.RAX] & mask(n)
	m.setFlags(arithmetic, subFlags(a, v, a-v, n))
	m.setReg(x86.RDI, m.GPR[x86.RDI]+m.stride(n))
	return true
}
