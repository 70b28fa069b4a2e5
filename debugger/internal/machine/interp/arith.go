package interp

// update writes the result of an instruction that reads and writes its
// destination, and then its flags.
func (m *Machine) update(i *instruction, r, flags uint64) bool {
	if !m.set(i, &i.dst, r) {
		return false
	}
	m.setFlags(arithmetic, flags)
	return true
}

func add(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	return ok && m.update(i, a+b, addFlags(a, b, a+b, i.size))
}

func adc(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	r := a + b + m.Flags&carry
	return ok && m.update(i, r, addFlags(a, b, r, i.size))
}

func sub(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	return ok && m.update(i, a-b, subFlags(a, b, a-b, i.size))
}

func sbb(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	r := a - b - m.Flags&carry
	return ok && m.update(i, r, subFlags(a, b, r, i.size))
}

func compare(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	if ok {
		m.setFlags(arithmetic, subFlags(a, b, a-b, i.size))
	}
	return ok
}

func and(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	return ok && m.update(i, a&b, resultFlags(a&b, i.size))
}

func or(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	return ok && m.update(i, a|b, resultFlags(a|b, i.size))
}

func xor(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	return ok && m.update(i, a^b, resultFlags(a^b, i.size))
}

func test(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	if ok {
		m.setFlags(arithmetic, resultFlags(a&b, i.size))
	}
	return ok
}

// inc and dec do not change the carry flag.
func inc(m *Machine, i *instruction) bool {
	a, ok := m.get(i, &i.dst)
	return ok && m.update(i, a+1, addFlags(a, 1, a+1, i.size)&^carry|m.Flags&carry)
}

func dec(m *Machine, i *instruction) bool {
	a, ok := m.get(i, &i.dst)
	return ok && m.update(i, a-1, subFlags(a, 1, a-1, i.size)&^carry|m.Flags&carry)
}

func neg(m *Machine, i *instruction) bool {
	a, ok := m.get(i, &i.dst)
	return ok && m.update(i, -a, subFlags(0, a, -a, i.size))
}

func not(m *Machine, i *instruction) bool {
	a, ok := m.get(i, &i.dst)
	return ok && m.set(i, &i.dst, ^a)
}

// exchangeAdd executes xadd. It writes memory first; if both operands are the
// same register, the sum is written last.
func exchangeAdd(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	if !ok || i.in.Class&memoryClass != 0 && !m.set(i, &i.dst, a+b) {
		return false
	}
	m.set(i, &i.src, a)
	if i.in.Class&memoryClass == 0 {
		m.set(i, &i.dst, a+b)
	}
	m.setFlags(arithmetic, addFlags(a, b, a+b, i.size))
	return true
}

// compareExchange executes cmpxchg. If the comparison fails, it writes the old
// value of the destination back, as the processor does.
func compareExchange(m *Machine, i *instruction) bool {
	a, b, ok := m.pair(i)
	acc := accumulator(i.size)
	if !ok {
		return false
	}
	want, _ := m.get(i, &acc)
	flags := subFlags(want, a, want-a, i.size)
	if want == a {
		return m.update(i, b, flags)
	}
	if i.dst.Size == 4 && i.in.Class&memoryClass == 0 {
		return false // processors differ in the upper half of the register
	}
	if i.in.Class&memoryClass != 0 && !m.set(i, &i.dst, a) {
		return false
	}
	m.setFlags(arithmetic, flags)
	return m.set(i, &acc, a)
}

func setCarry(m *Machine, i *instruction) bool {
	switch i.in.Name() {
	case "clc":
		m.Flags &^= carry
	case "stc":
		m.Flags |= carry
	default:
		m.Flags ^= carry
	}
	return true
}

func setDirection(m *Machine, i *instruction) bool {
	m.setFlags(direction, flagIf(i.in.Name() == "std", direction))
	return true
}
