package pattern

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"
)

// Limits of the automata.
const (
	maxStates   = 2 << 20  // bytes of the states that a machine keeps
	maxWork     = 16 << 20 // instructions that a match may look at to make states,
	workPerByte = 32       // and for each byte of the text
)

// ErrWork is returned for texts that take too long to match.
var ErrWork = errors.New("the text takes too many steps to compare with the pattern")

// A machine runs a program as a deterministic automaton whose states are made when a text
// first leads to them.
type machine struct {
	program *program
	column  [128]uint8
	columns int

	states map[string]*state // by the instructions
	start  *state
	cost   int // bytes of the states

	// Space for the making of states.
	list  []int32 // instructions of the state
	mark  []uint32
	round uint32
	stack []int32
	key   []byte
	work  int
}

// A state is a set of instructions that a program may be at.
type state struct {
	next    []*state // by the column of the character; nil if it was not made yet
	wide    map[rune]*state
	insts   []int32 // that consume a character
	accepts bool
}

func newMachine(p *program) *machine {
	m := &machine{program: p, mark: make([]uint32, len(p.insts))}
	m.column, m.columns = p.columns()
	m.reset()
	return m
}

// memory returns the bytes that the machine takes, by estimate.
func (m *machine) memory() int {
	return m.cost + 16*cap(m.program.insts) + 48*len(m.program.classes) + 4*(len(m.mark)+cap(m.list)+cap(m.stack)+cap(m.key)) + 1024
}

// reset forgets all states.
func (m *machine) reset() {
	m.states, m.cost = map[string]*state{}, 0
	m.begin()
	m.add(m.program.start)
	m.start = m.state()
}

// match reports whether the program accepts a text. It leaves in work what remains of the
// instructions that it may look at.
func (m *machine) match(text string) (bool, error) {
	m.work = maxWork + workPerByte*len(text)
	s := m.start
	for i := 0; i < len(text); {
		var to *state
		r, size := rune(text[i]), 1
		if r < utf8.RuneSelf {
			to = s.next[m.column[r]]
		} else {
			r, size = utf8.DecodeRuneInString(text[i:])
			to = s.wide[r]
		}
		if to == nil {
			to = m.step(s, r)
		}
		if len(to.insts) == 0 && i+size < len(text) {
			return false, nil
		}
		if m.work < 0 {
			return false, ErrWork
		}
		s = to
		i += size
	}
	return s.accepts, nil
}

// step makes the state that a character leads to, and keeps it for later.
func (m *machine) step(s *state, r rune) *state {
	if m.cost > maxStates {
		m.reset() // s remains in use, but nothing leads to it
	}
	m.begin()
	m.work -= len(s.insts)
	for _, at := range s.insts {
		if i := &m.program.insts[at]; m.program.classes[i.class].has(r) {
			m.add(i.out)
		}
	}
	to := m.state()
	if r < utf8.RuneSelf {
		s.next[m.column[r]] = to
		return to
	}
	if s.wide == nil {
		s.wide = map[rune]*state{}
	}
	s.wide[r] = to
	m.cost += 64
	return to
}

// begin starts the making of a state.
func (m *machine) begin() {
	m.list = m.list[:0]
	if m.round++; m.round == 0 {
		clear(m.mark)
		m.round = 1
	}
}

// add adds an instruction to the state that is made, with all that it leads to without a
// character.
func (m *machine) add(at int32) {
	m.stack = append(m.stack[:0], at)
	for len(m.stack) > 0 {
		at = m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if m.mark[at] == m.round {
			continue
		}
		m.mark[at] = m.round
		m.work--
		if i := &m.program.insts[at]; i.class == split {
			m.stack = append(m.stack, i.alt, i.out)
		} else {
			m.list = append(m.list, at)
		}
	}
}

// state returns the state of the instructions that were added.
func (m *machine) state() *state {
	m.key = m.key[:0]
	for _, at := range m.list {
		m.key = binary.LittleEndian.AppendUint32(m.key, uint32(at))
	}
	if s := m.states[string(m.key)]; s != nil {
		return s
	}
	s := &state{next: make([]*state, m.columns)}
	for _, at := range m.list {
		if m.program.insts[at].class == accept {
			s.accepts = true
		} else {
			s.insts = append(s.insts, at)
		}
	}
	m.states[string(m.key)] = s
	m.cost += 200 + 8*m.columns + 8*len(m.list)
	return s
}
