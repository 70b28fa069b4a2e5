package location

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Limits on expressions. Real ones stay below a hundredth of them.
const (
	maxOps   = 10_000
	maxStack = 1024
	maxCalls = 16
	maxParts = 256
)

var (
	errStack = errors.New("location expression takes from an empty stack")
	errLong  = errors.New("location expression runs too long")
)

// Evaluate returns where the object of an expression is. An empty expression
// is an object that was optimized out: one empty piece.
func Evaluate(expr []byte, c *Context) ([]Piece, error) {
	m := &machine{c: c, table: &operations}
	if err := m.start(expr); err != nil {
		return nil, err
	}
	if len(m.parts) > 0 {
		return m.parts, nil
	}
	p, err := m.place()
	return []Piece{p}, err
}

// Value runs an expression that computes a number, such as a frame address.
func Value(expr []byte, c *Context) (uint64, error) {
	m := &machine{c: c, table: &operations}
	if err := m.start(expr); err != nil {
		return 0, err
	}
	if m.found.Kind == InRegister {
		return c.register(m.found.Reg)
	}
	if m.found.Kind == IsBytes && len(m.found.Data) <= 8 {
		var p [8]byte
		copy(p[:], m.found.Data)
		return binary.LittleEndian.Uint64(p[:]), nil
	}
	n, err := m.pop()
	return n.bits, err
}

// A machine runs expressions.
type machine struct {
	c     *Context
	table *[256]operation
	stack []number
	found Piece // what register, value and implicit operations leave; Empty when none did
	parts []Piece
	ops   int
	calls int
	reader
	whole []byte // the expression being run, for jumps
}

func (m *machine) start(expr []byte) error {
	for _, v := range m.c.Stack {
		m.push(plain(v))
	}
	return m.run(expr)
}

// run runs a whole expression.
func (m *machine) run(expr []byte) error {
	m.whole, m.reader = expr, read(expr)
	for len(m.Data) > 0 {
		if m.ops++; m.ops > maxOps || len(m.stack) > maxStack || len(m.parts) > maxParts {
			return errLong
		}
		if err := m.step(byte(m.Fixed(1))); err != nil {
			return err
		}
		if m.Err != nil {
			return m.Err
		}
	}
	return nil
}

// step runs one operation. The ranges come first, then groups by what they do.
func (m *machine) step(op byte) error {
	switch {
	case op >= opLit0 && op <= opLit31:
		m.push(plain(uint64(op - opLit0)))
		return nil
	case op >= opReg0 && op <= opReg31:
		m.found = Piece{Kind: InRegister, Reg: uint64(op - opReg0)}
		return nil
	case op >= opBreg0 && op <= opBreg31:
		return m.based(uint64(op - opBreg0))
	case binaryOps[op] != nil:
		return m.binary(op)
	case relations[op] != nil:
		return m.relation(op)
	case constants[op] != nil:
		m.push(plain(constants[op](&m.reader)))
		return nil
	}
	if f := m.table[op]; f != nil {
		return f(m, op)
	}
	return fmt.Errorf("location operation %#x", op)
}

func (m *machine) push(n number) { m.stack = append(m.stack, n) }

func (m *machine) pop() (number, error) {
	if len(m.stack) == 0 {
		return number{}, errStack
	}
	n := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return n, nil
}

// pushed pushes a value unless there was an error.
func (m *machine) pushed(v uint64, err error) error {
	if err == nil {
		m.push(plain(v))
	}
	return err
}

func (m *machine) based(reg uint64) error {
	off := m.SLEB()
	v, err := m.c.register(reg)
	return m.pushed(v+uint64(off), err)
}

func (m *machine) two() (a, b number, err error) {
	if len(m.stack) < 2 {
		return a, b, errStack
	}
	b, _ = m.pop()
	a, _ = m.pop()
	return a, b, nil
}

func (m *machine) binary(op byte) error {
	a, b, err := m.two()
	if err != nil {
		return err
	}
	n, err := combine(op, a, b)
	m.push(n)
	return err
}

func (m *machine) relation(op byte) error {
	a, b, err := m.two()
	if err != nil {
		return err
	}
	m.push(truth(relations[op](compare(a, b))))
	return nil
}

// place returns the location that the operations so far have determined.
func (m *machine) place() (Piece, error) {
	p := m.found
	m.found = Piece{}
	if p.Kind != Empty || len(m.stack) == 0 {
		return p, nil
	}
	n, err := m.pop()
	return Piece{Kind: InMemory, Addr: n.bits}, err
}
