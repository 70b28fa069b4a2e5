package component

// DerivesFrom reports whether d is derived from b without the kinds of derivation in
// not (part 1, section 3.4.6, Type Derivation OK (Complex), and section 3.14.6, Type
// Derivation OK (Simple)).
func DerivesFrom(d, b Type, not Set) bool {
	if d == b {
		return true
	}
	if s, ok := d.(*Simple); ok {
		return s.derivesFrom(b, not)
	}
	for c := d.(*Complex); ; {
		if not.Has(c.Derivation) || c.Base == Type(c) {
			return false
		}
		if c.Base == b {
			return true
		}
		next, ok := c.Base.(*Complex)
		if !ok {
			return DerivesFrom(c.Base, b, not)
		}
		c = next
	}
}

func (s *Simple) derivesFrom(b Type, not Set) bool {
	if not.Has(Restriction) {
		return false
	}
	if c, ok := b.(*Complex); ok { // anyType, or nothing
		return c.Base == b && !s.finalBase()
	}
	target := b.(*Simple)
	members := target.allMembers()
	for {
		if s == target {
			return true
		}
		if s.finalBase() {
			return false
		}
		if members[s] {
			return true
		}
		base, ok := s.Base.(*Simple)
		if !ok {
			return false
		}
		s = base
	}
}

// finalBase reports whether the base does not allow restrictions.
func (s *Simple) finalBase() bool {
	base, ok := s.Base.(*Simple)
	return ok && base.Final.Has(Restriction)
}

// allMembers returns the members of a union, with those of the unions among them. A
// restriction of a union has fewer values than its members, so it has none.
func (s *Simple) allMembers() map[*Simple]bool {
	var all map[*Simple]bool
	for open := []*Simple{s}; len(open) > 0; {
		u := open[len(open)-1]
		open = open[:len(open)-1]
		if u.Base != Type(AnySimpleType) {
			continue
		}
		for _, m := range u.Members {
			if all == nil {
				all = map[*Simple]bool{}
			}
			if !all[m] {
				all[m] = true
				open = append(open, m)
			}
		}
	}
	return all
}

// Substitutable reports whether member may stand for head, apart from its being
// abstract (part 1, section 3.3.6, Substitution Group OK (Transitive)).
func Substitutable(member, head *Element) bool {
	if member == head {
		return true
	}
	if !head.Global || head.Block.Has(Substitution) || !member.affiliated(head) {
		return false
	}
	return !methods(member.Type, head.Type).Has(head.Block | blocks(member.Type, head.Type))
}

// methods returns the kinds of derivation between d and b.
func methods(d, b Type) Set {
	var all Set
	for ; d != nil && d != b; d = d.BaseType() {
		c, ok := d.(*Complex)
		switch {
		case !ok:
			all |= Restriction
		case c.Base == d:
			return all
		default:
			all |= c.Derivation
		}
	}
	return all
}

// blocks returns the kinds of derivation that b, and the types between d and b, do not
// allow in documents.
func blocks(d, b Type) Set {
	var all Set
	if c, ok := b.(*Complex); ok {
		all = c.Block
	}
	if d == b {
		return all
	}
	for d = d.BaseType(); d != nil && d != b && d != Type(AnyType); d = d.BaseType() {
		if c, ok := d.(*Complex); ok {
			all |= c.Block
		}
	}
	return all
}

// affiliated reports whether head is above e in the tree of substitution groups.
func (e *Element) affiliated(head *Element) bool {
	for e = e.Head; e != nil; e = e.Head {
		if e == head {
			return true
		}
	}
	return false
}
