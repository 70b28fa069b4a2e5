package validate

// siblings counts the children of an element by their names.
type siblings struct {
	few  []counted
	last int          // index of the name that came last
	many map[Name]int // of names that are not in few
}

type counted struct {
	name Name
	n    int
}

// maxFew is the number of names that are compared one by one.
const maxFew = 12

// next counts a child and returns its position among those of its name.
func (s *siblings) next(name Name) int {
	if s.last < len(s.few) && s.few[s.last].name == name {
		s.few[s.last].n++
		return s.few[s.last].n
	}
	for i := range s.few {
		if s.few[i].name == name {
			s.last = i
			s.few[i].n++
			return s.few[i].n
		}
	}
	if len(s.few) < maxFew {
		s.last = len(s.few)
		s.few = append(s.few, counted{name, 1})
		return 1
	}
	if s.many == nil {
		s.many = map[Name]int{}
	}
	s.many[name]++
	return s.many[name]
}

// reset forgets all children.
func (s *siblings) reset() {
	clear(s.few)
	s.few, s.last, s.many = s.few[:0], 0, nil
}
