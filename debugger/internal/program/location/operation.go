package location

import "encoding/binary"

// constants are the operations that push their operand.
var constants = [256]func(*reader) uint64{
	opConst1u: func(r *reader) uint64 { return r.Fixed(1) },
	opConst1s: func(r *reader) uint64 { return uint64(r.Signed(1)) },
	opConst2u: func(r *reader) uint64 { return r.Fixed(2) },
	opConst2s: func(r *reader) uint64 { return uint64(r.Signed(2)) },
	opConst4u: func(r *reader) uint64 { return r.Fixed(4) },
	opConst4s: func(r *reader) uint64 { return uint64(r.Signed(4)) },
	opConst8u: func(r *reader) uint64 { return r.Fixed(8) },
	opConst8s: func(r *reader) uint64 { return r.Fixed(8) },
	opConstu:  (*reader).ULEB,
	opConsts:  func(r *reader) uint64 { return uint64(r.SLEB()) },
}

type operation func(m *machine, op byte) error

// operations has all operations but constants, registers and arithmetic. The
// machine has a pointer to it because some operations run others.
var operations = [256]operation{
	opAddr:       func(m *machine, _ byte) error { m.push(plain(m.Fixed(8) + m.c.Bias)); return nil },
	opDeref:      func(m *machine, _ byte) error { return m.deref(generic) },
	opDerefSize:  func(m *machine, _ byte) error { return m.deref(Type{Unsigned, int(m.Fixed(1))}) },
	opDup:        func(m *machine, _ byte) error { return m.pick(0) },
	opOver:       func(m *machine, _ byte) error { return m.pick(1) },
	opPick:       func(m *machine, _ byte) error { return m.pick(int(m.Fixed(1))) },
	opDrop:       func(m *machine, _ byte) error { _, err := m.pop(); return err },
	opSwap:       func(m *machine, _ byte) error { return m.rotate(2) },
	opRot:        func(m *machine, _ byte) error { return m.rotate(3) },
	opAbs:        (*machine).unary,
	opNeg:        (*machine).unary,
	opNot:        (*machine).unary,
	opPlusUconst: (*machine).plusConstant,
	opBra:        (*machine).branch,
	opSkip:       (*machine).branch,
	opNop:        func(*machine, byte) error { return nil },
	opGNUUninit:  func(*machine, byte) error { return nil },

	opRegx:         func(m *machine, _ byte) error { m.found = Piece{Kind: InRegister, Reg: m.ULEB()}; return nil },
	opBregx:        func(m *machine, _ byte) error { return m.based(m.ULEB()) },
	opFbreg:        (*machine).frameBase,
	opCallFrameCFA: func(m *machine, _ byte) error { return m.pushed(m.c.Source.CFA()) },
	opPushObject:   (*machine).object,
	opTLS:          (*machine).tls,
	opGNUPushTLS:   (*machine).tls,

	opPiece:              (*machine).piece,
	opBitPiece:           (*machine).piece,
	opStackValue:         (*machine).stackValue,
	opImplicitValue:      func(m *machine, _ byte) error { m.found = Piece{Kind: IsBytes, Data: m.Block()}; return nil },
	opImplicitPointer:    (*machine).implicitPointer,
	opGNUImplicitPointer: (*machine).implicitPointer,

	opAddrx:         (*machine).indexed,
	opConstx:        (*machine).indexed,
	opGNUAddrIndex:  (*machine).indexed,
	opGNUConstIndex: (*machine).indexed,

	opEntryValue:       func(m *machine, _ byte) error { return m.pushed(m.c.Source.EntryValue(m.Block())) },
	opGNUEntryValue:    func(m *machine, _ byte) error { return m.pushed(m.c.Source.EntryValue(m.Block())) },
	opGNUParameterRef:  func(m *machine, _ byte) error { m.Fixed(4); return ErrUnavailable },
	opGNUVariableValue: func(m *machine, _ byte) error { m.Fixed(4); return ErrUnavailable },
	opCall2:            func(m *machine, _ byte) error { return m.call(m.Fixed(2), true) },
	opCall4:            func(m *machine, _ byte) error { return m.call(m.Fixed(4), true) },
	opCallRef:          func(m *machine, _ byte) error { return m.call(m.Fixed(4), false) },

	opConstType:      (*machine).constType,
	opGNUConstType:   (*machine).constType,
	opRegvalType:     (*machine).regvalType,
	opGNURegvalType:  (*machine).regvalType,
	opDerefType:      (*machine).derefType,
	opGNUDerefType:   (*machine).derefType,
	opConvert:        (*machine).convert,
	opGNUConvert:     (*machine).convert,
	opReinterpret:    (*machine).convert,
	opGNUReinterpret: (*machine).convert,
}

// deref replaces an address by what is in memory there.
func (m *machine) deref(t Type) error {
	a, err := m.pop()
	if err != nil {
		return err
	}
	if err := t.check(); err != nil {
		return err
	}
	if m.c.Memory == nil {
		return ErrUnavailable
	}
	var p [8]byte
	if err := m.c.Memory.ReadMemory(a.bits, p[:t.Size]); err != nil {
		return err
	}
	n := t.cut(binary.LittleEndian.Uint64(p[:]))
	if t.Class == Unsigned {
		n.typ = generic // DW_OP_deref_size: widened with zeroes
	}
	m.push(n)
	return nil
}

func (m *machine) pick(n int) error {
	if n >= len(m.stack) {
		return errStack
	}
	m.push(m.stack[len(m.stack)-1-n])
	return nil
}

// rotate moves the top below the n-1 entries under it.
func (m *machine) rotate(n int) error {
	if n > len(m.stack) {
		return errStack
	}
	s := m.stack[len(m.stack)-n:]
	top := s[n-1]
	copy(s[1:], s)
	s[0] = top
	return nil
}

func (m *machine) unary(op byte) error {
	n, err := m.pop()
	if err != nil {
		return err
	}
	switch {
	case n.typ.Class == Float && op == opNot:
		return errType
	case n.typ.Class == Float && (op == opNeg || n.float() < 0):
		m.push(n.typ.fromFloat(-n.float()))
	case op == opNot:
		m.push(n.typ.cut(^n.bits))
	case op == opNeg, n.typ.Class != Unsigned && n.typ.Class != Float && int64(n.bits) < 0:
		m.push(n.typ.cut(-n.bits))
	default:
		m.push(n)
	}
	return nil
}

func (m *machine) plusConstant(byte) error {
	add := m.ULEB()
	n, err := m.pop()
	m.push(n.typ.cut(n.bits + add))
	return err
}

// branch jumps within the expression, forwards or backwards.
func (m *machine) branch(op byte) error {
	off := m.Signed(2)
	if op == opBra {
		n, err := m.pop()
		if err != nil || n.bits == 0 {
			return err
		}
	}
	at := int64(len(m.whole)-len(m.Data)) + off
	if at < 0 || at > int64(len(m.whole)) {
		return errShort
	}
	m.Data = m.whole[at:]
	return nil
}

func (m *machine) frameBase(byte) error {
	off := m.SLEB()
	v, err := m.c.Source.FrameBase()
	return m.pushed(v+uint64(off), err)
}

func (m *machine) object(byte) error {
	if m.c.Object == nil {
		return ErrUnavailable
	}
	m.push(plain(*m.c.Object))
	return nil
}

func (m *machine) tls(byte) error {
	n, err := m.pop()
	if err != nil {
		return err
	}
	// The operand is an offset in the module's block, but some compilers write
	// it with DW_OP_addr, and then the bias was added to it.
	if n.bits >= m.c.Bias && m.c.Bias != 0 {
		n.bits -= m.c.Bias
	}
	return m.pushed(m.c.Source.ThreadLocal(n.bits))
}

// piece ends one part of the object.
func (m *machine) piece(op byte) error {
	bits, offset := m.ULEB(), uint64(0)
	if op == opPiece {
		bits *= 8
	} else {
		offset = m.ULEB()
	}
	p, err := m.place()
	p.Bits, p.BitOffset = bits, offset
	m.parts = append(m.parts, p)
	return err
}

func (m *machine) stackValue(byte) error {
	n, err := m.pop()
	m.found = Piece{Kind: IsValue, Value: n.bits}
	return err
}

func (m *machine) implicitPointer(byte) error {
	die := m.Fixed(4)
	m.found = Piece{Kind: IsPointer, DIE: die, Offset: m.SLEB()}
	return nil
}

func (m *machine) indexed(op byte) error {
	v, err := m.c.Source.Address(m.ULEB())
	if op == opAddrx || op == opGNUAddrIndex {
		v += m.c.Bias
	}
	return m.pushed(v, err)
}

// call runs the location of another entry within this expression.
func (m *machine) call(die uint64, relative bool) error {
	if m.calls++; m.calls > maxCalls {
		return errLong
	}
	if m.Err != nil {
		return m.Err
	}
	expr, err := m.c.Source.Procedure(die, relative)
	if err != nil {
		return err
	}
	whole, rest := m.whole, m.reader
	err = m.run(expr)
	m.whole, m.reader = whole, rest
	return err
}

// baseType returns the type operand of a typed operation; zero means untyped.
func (m *machine) baseType(die uint64) (Type, error) {
	if die == 0 {
		return generic, nil
	}
	t, err := m.c.Source.Type(die)
	if err != nil {
		return Type{}, err
	}
	return t, t.check()
}

func (m *machine) constType(byte) error {
	die := m.ULEB()
	p := m.Take(m.Fixed(1))
	t, err := m.baseType(die)
	if err != nil {
		return err
	}
	var v [8]byte
	copy(v[:], p)
	m.push(t.cut(binary.LittleEndian.Uint64(v[:])))
	return nil
}

func (m *machine) regvalType(byte) error {
	reg := m.ULEB()
	t, err := m.baseType(m.ULEB())
	if err != nil {
		return err
	}
	v, err := m.c.register(reg)
	m.push(t.cut(v))
	return err
}

func (m *machine) derefType(byte) error {
	size := int(m.Fixed(1))
	t, err := m.baseType(m.ULEB())
	if err != nil {
		return err
	}
	if err := m.deref(Type{Unsigned, size}); err != nil {
		return err
	}
	n, _ := m.pop()
	m.push(t.cut(n.bits))
	return nil
}

func (m *machine) convert(op byte) error {
	t, err := m.baseType(m.ULEB())
	if err != nil {
		return err
	}
	n, err := m.pop()
	if op == opReinterpret || op == opGNUReinterpret {
		m.push(n.reinterpret(t))
	} else {
		m.push(n.convert(t))
	}
	return err
}
