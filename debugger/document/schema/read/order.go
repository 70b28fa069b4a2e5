package read

// An order holds the children that an element may have, as an automaton whose states are sets of
// the letters of an expression: the letters that may have been read last.
type order struct {
	letters []byte // a dot stands for any
	first   uint64
	last    uint64
	follow  []uint64
	empty   bool // no letter is needed
}

// atStart is the state before the first letter. No expression has as many letters.
const atStart = 1 << 63

// newOrder makes the automaton of an expression of letters, groups, alternatives and the
// signs for repetition.
func newOrder(expression string) *order {
	p := orderParser{text: expression, made: &order{}}
	whole := p.alternatives()
	p.made.first, p.made.last, p.made.empty = whole.first, whole.last, whole.empty
	return p.made
}

// step returns the state after a letter, 0 if it may not stand there.
func (o *order) step(state uint64, letter byte) uint64 {
	var next uint64
	if state&atStart != 0 {
		next = o.first
	}
	for i := range o.letters {
		if state&(1<<i) != 0 {
			next |= o.follow[i]
		}
	}
	for i, l := range o.letters {
		if l != letter && l != '.' {
			next &^= 1 << i
		}
	}
	return next
}

// complete reports whether nothing is missing in a state.
func (o *order) complete(state uint64) bool {
	return state&o.last != 0 || state&atStart != 0 && o.empty
}

// A part is a part of an expression: the letters that it may begin and end with.
type part struct {
	first, last uint64
	empty       bool
}

// An orderParser reads expressions of this package.
type orderParser struct {
	text string
	at   int
	made *order
}

func (p *orderParser) more() bool { return p.at < len(p.text) && p.text[p.at] != ')' }

func (p *orderParser) alternatives() part {
	all := p.sequence()
	for p.more() { // at a bar
		p.at++
		next := p.sequence()
		all = part{all.first | next.first, all.last | next.last, all.empty || next.empty}
	}
	return all
}

func (p *orderParser) sequence() part {
	all := part{empty: true}
	for p.more() && p.text[p.at] != '|' {
		next := p.repeated()
		p.link(all.last, next.first)
		if all.empty {
			all.first |= next.first
		}
		if !next.empty {
			all.last = 0
		}
		all.last |= next.last
		all.empty = all.empty && next.empty
	}
	return all
}

// link has letters follow others.
func (p *orderParser) link(from, to uint64) {
	for i := range p.made.follow {
		if from&(1<<i) != 0 {
			p.made.follow[i] |= to
		}
	}
}

// repeated reads a letter or a group, and the sign behind it.
func (p *orderParser) repeated() part {
	var one part
	if p.text[p.at] == '(' {
		p.at++
		one = p.alternatives()
	} else {
		bit := uint64(1) << len(p.made.letters)
		p.made.letters = append(p.made.letters, p.text[p.at])
		p.made.follow = append(p.made.follow, 0)
		one = part{first: bit, last: bit}
	}
	p.at++
	if p.at == len(p.text) {
		return one
	}
	switch p.text[p.at] {
	case '*', '+':
		p.link(one.last, one.first)
		one.empty = one.empty || p.text[p.at] == '*'
		p.at++
	case '?':
		one.empty = true
		p.at++
	}
	return one
}
