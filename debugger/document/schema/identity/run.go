package identity

// A run follows the paths of an expression from an element down. A state is a set of
// numbers of steps that were matched, as bits.
type run struct {
	expr   *Expression
	states []uint64 // of the paths, for each element from the first one down
	idle   int      // elements down from one where no path can go on; they have no states
}

// start begins at an element.
func start(e *Expression) run {
	r := run{expr: e}
	for range e.paths {
		r.states = append(r.states, 1)
	}
	return r
}

// enter goes to a child.
func (r *run) enter(n Name) {
	if r.idle > 0 {
		r.idle++
		return
	}
	from := len(r.states) - len(r.expr.paths)
	alive := uint64(0)
	for i := range r.expr.paths {
		p, above := &r.expr.paths[i], r.states[from+i]
		below := uint64(0)
		if p.deep {
			below = 1
		}
		for s := range p.steps {
			if above&(1<<s) != 0 && p.steps[s].matches(n) {
				below |= 1 << (s + 1)
			}
		}
		r.states = append(r.states, below)
		alive |= below
	}
	if alive == 0 {
		r.states = r.states[:len(r.states)-len(r.expr.paths)]
		r.idle = 1
	}
}

// leave goes back to the parent.
func (r *run) leave() {
	if r.idle > 0 {
		r.idle--
		return
	}
	r.states = r.states[:len(r.states)-len(r.expr.paths)]
}

// selects reports whether the expression selects the current element, which has paths to
// elements only.
func (r *run) selects() bool {
	if r.idle > 0 {
		return false
	}
	from := len(r.states) - len(r.expr.paths)
	for i := range r.expr.paths {
		if p := &r.expr.paths[i]; p.attribute == nil && r.states[from+i]&(1<<len(p.steps)) != 0 {
			return true
		}
	}
	return false
}

// attributes calls visit for the tests of those attributes of the current element that the
// expression selects.
func (r *run) attributes(visit func(*nameTest)) {
	if r.idle > 0 {
		return
	}
	from := len(r.states) - len(r.expr.paths)
	for i := range r.expr.paths {
		if p := &r.expr.paths[i]; p.attribute != nil && r.states[from+i]&(1<<len(p.steps)) != 0 {
			visit(p.attribute)
		}
	}
}
