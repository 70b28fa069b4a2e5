package pattern

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// maxSize limits the characters and classes of a pattern, as often as its quantifiers
// repeat them.
const maxSize = 100_000

// measure sets the sizes of n and its parts: the number of characters and classes when all
// quantifiers are written out, exact up to maxSize. It removes empty parts of sequences.
func (n *node) measure() {
	n.size = 0
	for _, part := range n.parts {
		part.measure()
		n.size = min(n.size+part.size, maxSize+1)
	}
	switch n.op {
	case class:
		n.size = 1
	case sequence:
		n.parts = slices.DeleteFunc(n.parts, func(part *node) bool { return part.size == 0 })
	case repetition:
		times := n.max
		if n.max == infinite {
			times = max(n.min, 1)
		}
		n.size = min(n.size*min(times, maxSize+1), maxSize+1)
	}
}

// check returns an error if the pattern is too large.
func (n *node) check() error {
	if n.measure(); n.size > maxSize {
		return fmt.Errorf("its quantifiers repeat more than the %d characters and classes that are supported", maxSize)
	}
	return nil
}

// An inst is an instruction of a program. A positive class consumes a character of that
// class and goes on at out.
type inst struct {
	class    int32 // or one of the following
	out, alt int32
}

// Instructions that consume nothing.
const (
	split  = -1 // goes on at out and at alt
	accept = -2 // ends a match
)

// A program is a nondeterministic automaton. Its last instruction accepts.
type program struct {
	insts   []inst
	classes []charClass
	start   int32

	// While the program is made, the classes by the first range of their set, and by the
	// text of all.
	same  map[*runeRange]int32
	known map[string]int32
}

// A charClass is a set that is fast for ASCII.
type charClass struct {
	ascii [2]uint64
	set   set
}

func (c *charClass) has(r rune) bool {
	if r < 128 {
		return c.ascii[r>>6]&(1<<(r&63)) != 0
	}
	return c.set.has(r)
}

// newProgram returns the program of a tree whose size was checked. The instructions are
// made from the last to the first: each part is told where it goes on.
func newProgram(n *node) *program {
	p := &program{same: map[*runeRange]int32{}, known: map[string]int32{}}
	p.start = p.node(n, p.add(inst{class: accept}))
	p.same, p.known = nil, nil
	return p
}

func (p *program) add(i inst) int32 {
	p.insts = append(p.insts, i)
	return int32(len(p.insts) - 1)
}

// node adds the instructions of n, which go on at next, and returns the first.
func (p *program) node(n *node, next int32) int32 {
	if n.size == 0 {
		return next
	}
	switch n.op {
	case class:
		return p.add(inst{class: p.class(n.set), out: next})
	case sequence:
		for i := len(n.parts) - 1; i >= 0; i-- {
			next = p.node(n.parts[i], next)
		}
		return next
	case choice:
		first := p.node(n.parts[len(n.parts)-1], next)
		for i := len(n.parts) - 2; i >= 0; i-- {
			first = p.add(inst{class: split, out: p.node(n.parts[i], next), alt: first})
		}
		return first
	}
	return p.repetition(n, next)
}

// repetition adds the part of n as often as it must be there, and then as often as it
// may be.
func (p *program) repetition(n *node, next int32) int32 {
	part, first := n.parts[0], next
	if n.max == infinite {
		first = p.add(inst{class: split, alt: next})
		again := p.node(part, first) // which may move the instructions
		p.insts[first].out = again
	} else {
		for range n.max - n.min {
			first = p.add(inst{class: split, out: p.node(part, first), alt: next})
		}
	}
	for range n.min {
		first = p.node(part, first)
	}
	return first
}

// class returns the number of a set.
func (p *program) class(s set) int32 {
	if len(s) == 0 {
		return p.classOf(s)
	}
	i, ok := p.same[&s[0]]
	if !ok {
		i = p.classOf(s)
		p.same[&s[0]] = i
	}
	return i
}

// classOf is class for a set that was not met yet, though one like it may have been.
func (p *program) classOf(s set) int32 {
	var text []byte
	for _, r := range s {
		text = binary.LittleEndian.AppendUint32(text, uint32(r.low))
		text = binary.LittleEndian.AppendUint32(text, uint32(r.high))
	}
	i, ok := p.known[string(text)]
	if !ok {
		i = int32(len(p.classes))
		p.classes = append(p.classes, newCharClass(s))
		p.known[string(text)] = i
	}
	return i
}

func newCharClass(s set) charClass {
	c := charClass{set: s}
	for r := range rune(128) {
		if s.has(r) {
			c.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return c
}

// columns numbers the characters of ASCII so that those have the same number that are in
// the same classes, and returns how many numbers there are.
func (p *program) columns() (column [128]uint8, n int) {
	n = 1
	for i := range p.classes {
		moved := map[uint8]uint8{} // to the column of the members of the class
		for r := range rune(128) {
			if !p.classes[i].has(r) {
				continue
			}
			to, ok := moved[column[r]]
			if !ok {
				to = uint8(n)
				moved[column[r]] = to
				n++
			}
			column[r] = to
		}
		column, n = renumber(column)
	}
	return column, n
}

// renumber makes the numbers consecutive.
func renumber(column [128]uint8) ([128]uint8, int) {
	var number [256]int
	n := 0
	for r, c := range column {
		if number[c] == 0 {
			n++
			number[c] = n
		}
		column[r] = uint8(number[c] - 1)
	}
	return column, n
}
