package cfi

import "errors"

// Limits on frame programs. Real ones stay below a hundredth of them.
const (
	maxOps    = 1 << 16
	maxStates = 64
)

var errProgram = errors.New("frame program is damaged")

// Operations of frame programs (DWARF 5 section 7.24, and GNU's).
const (
	opNop             = 0x00
	opSetLoc          = 0x01
	opAdvance1        = 0x02
	opAdvance2        = 0x03
	opAdvance4        = 0x04
	opOffsetExtended  = 0x05
	opRestoreExtended = 0x06
	opUndefined       = 0x07
	opSameValue       = 0x08
	opRegister        = 0x09
	opRemember        = 0x0a
	opRestore         = 0x0b
	opDefCFA          = 0x0c
	opDefCFARegister  = 0x0d
	opDefCFAOffset    = 0x0e
	opDefCFAExpr      = 0x0f
	opExpr            = 0x10
	opOffsetSF        = 0x11
	opDefCFASF        = 0x12
	opDefCFAOffsetSF  = 0x13
	opValOffset       = 0x14
	opValOffsetSF     = 0x15
	opValExpr         = 0x16
	opArgsSize        = 0x2e
	opNegOffset       = 0x2f

	// The two high bits of these hold the operation, the others an operand.
	opAdvance   = 0x40
	opOffset    = 0x80
	opRestoreIn = 0xc0
)

// state is the part of a row that remember_state and restore_state save and
// restore.
type state struct {
	cfa Rule
	reg [Columns]Rule
}

// A machine runs the program of one function up to an address.
type machine struct {
	state
	initial state // after the shared entry's instructions
	stack   []state
	cie     *cie
	base    bases
	loc     uint64
	until   uint64
	ops     int
}

// run returns the row that is valid at pc.
func (f *fde) run(pc uint64, base bases) (*Row, error) {
	m := &machine{cie: f.cie, base: base, loc: f.start, until: ^uint64(0)}
	if err := m.exec(f.cie.initial, f.start); err != nil {
		return nil, err
	}
	m.initial, m.loc, m.until = m.state, f.start, pc
	// Programs have no relative addresses (set_loc is not written for this
	// processor), so the address of this one is not needed.
	if err := m.exec(f.program, f.start); err != nil {
		return nil, err
	}
	return &Row{
		CFA: m.cfa, Reg: m.reg, Ret: f.cie.ret, Signal: f.cie.signal,
		Start: f.start, End: f.end,
	}, nil
}

// exec runs instructions up to the first that advances past the wanted
// address.
func (m *machine) exec(program []byte, addr uint64) error {
	r := read(program, addr)
	for len(r.Data) > 0 && r.Err == nil && m.loc <= m.until {
		if m.ops++; m.ops > maxOps {
			return errProgram
		}
		m.one(&r)
	}
	return r.Err
}

// one runs the next instruction.
func (m *machine) one(r *reader) {
	op := r.Byte()
	low := uint64(op & 0x3f)
	switch op & 0xc0 {
	case opAdvance:
		m.advance(low)
	case opOffset:
		m.set(low, Rule{Kind: AtOffset, Offset: m.scaled(r)})
	case opRestoreIn:
		m.restore(low)
	default:
		m.extended(op, r)
	}
}

func (m *machine) extended(op byte, r *reader) {
	switch op {
	case opNop:
	case opSetLoc:
		m.loc = r.pointer(m.cie.pointers, m.base)
	case opAdvance1:
		m.advance(r.Fixed(1))
	case opAdvance2:
		m.advance(r.Fixed(2))
	case opAdvance4:
		m.advance(r.Fixed(4))
	case opArgsSize:
		r.ULEB()
	case opRemember, opRestore:
		m.swap(op, r)
	case opDefCFA, opDefCFASF, opDefCFARegister, opDefCFAOffset, opDefCFAOffsetSF, opDefCFAExpr:
		m.define(op, r)
	default:
		m.rule(op, r)
	}
}

// rule runs the instructions that set the rule of a register.
func (m *machine) rule(op byte, r *reader) {
	reg := r.ULEB()
	switch op {
	case opOffsetExtended:
		m.set(reg, Rule{Kind: AtOffset, Offset: m.scaled(r)})
	case opOffsetSF:
		m.set(reg, Rule{Kind: AtOffset, Offset: r.SLEB() * m.cie.dataAlign})
	case opNegOffset:
		m.set(reg, Rule{Kind: AtOffset, Offset: -m.scaled(r)})
	case opValOffset:
		m.set(reg, Rule{Kind: IsOffset, Offset: m.scaled(r)})
	case opValOffsetSF:
		m.set(reg, Rule{Kind: IsOffset, Offset: r.SLEB() * m.cie.dataAlign})
	case opRestoreExtended:
		m.restore(reg)
	case opUndefined:
		m.set(reg, Rule{Kind: Undefined})
	case opSameValue:
		m.set(reg, Rule{Kind: SameValue})
	case opRegister:
		m.set(reg, Rule{Kind: InRegister, Reg: register(r)})
	case opExpr:
		m.set(reg, Rule{Kind: AtExpression, Expr: r.Block()})
	case opValExpr:
		m.set(reg, Rule{Kind: IsExpression, Expr: r.Block()})
	default:
		r.fail("frame instruction %#x", op)
	}
}

// define runs the instructions that set the rule of the CFA.
func (m *machine) define(op byte, r *reader) {
	switch op {
	case opDefCFA:
		reg := register(r)
		m.cfa = Rule{Kind: InRegister, Reg: reg, Offset: int64(r.ULEB())}
	case opDefCFASF:
		reg := register(r)
		m.cfa = Rule{Kind: InRegister, Reg: reg, Offset: r.SLEB() * m.cie.dataAlign}
	case opDefCFARegister:
		m.cfa.Kind, m.cfa.Reg, m.cfa.Expr = InRegister, register(r), nil
	case opDefCFAOffset:
		m.cfa.Offset = int64(r.ULEB())
	case opDefCFAOffsetSF:
		m.cfa.Offset = r.SLEB() * m.cie.dataAlign
	case opDefCFAExpr:
		m.cfa = Rule{Kind: cfaExpression, Expr: r.Block()}
	}
}

// swap saves the state or restores it. As with GNU tools the CFA is part of
// it.
func (m *machine) swap(op byte, r *reader) {
	switch n := len(m.stack); {
	case op == opRemember && n < maxStates:
		m.stack = append(m.stack, m.state)
	case op == opRestore && n > 0:
		m.state, m.stack = m.stack[n-1], m.stack[:n-1]
	default:
		r.fail("frame program remembers %d states", n)
	}
}

func (m *machine) advance(n uint64) { m.loc += n * m.cie.codeAlign }

func (m *machine) scaled(r *reader) int64 { return int64(r.ULEB()) * m.cie.dataAlign }

func (m *machine) set(reg uint64, rule Rule) {
	if reg < Columns {
		m.reg[reg] = rule
	}
}

func (m *machine) restore(reg uint64) {
	if reg < Columns {
		m.reg[reg] = m.initial.reg[reg]
	}
}

// register reads a register number. Numbers beyond the table stay beyond it.
func register(r *reader) uint16 { return uint16(min(r.ULEB(), 0xffff)) }
