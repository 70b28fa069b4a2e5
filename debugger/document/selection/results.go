package selection

// A Result is a node that is selected.
type Result struct {
	Kind         string // element, attribute or text
	Path         string // see the path of an item
	Name         string // as written
	Value        string // of an attribute or text, as far as it was needed
	Line, Column int    // of the start tag of the element that it is or belongs to
	From, To     int64  // of an element: its bytes in the document
	Wrap         string // of an element: a start tag that declares the namespaces in scope
}

const (
	// maxWaiting limits the nodes that wait for predicates to be known.
	maxWaiting = 100_000
	// extra is the number of bytes that are kept of a value behind the limit of an answer.
	extra = 16
)

// An entry is a run of nodes that are selected if a match holds.
type entry struct {
	by     *match
	count  int
	result *Result // of a single node; nil if it is not asked for
}

// results keeps the nodes that are selected, in document order. Behind the first one that
// is not yet certain, nodes wait.
type results struct {
	offset, limit int // which are asked for: limit from offset
	room          int // bytes of values that are asked for
	total         int
	list          []*Result
	size          int // of the values in list
	waiting       []entry
	nodes, sure   int // in waiting; how many of them are known to be certain
	held          int // bytes of values in waiting
}

// wanted reports whether the next node may be asked for.
func (r *results) wanted() bool {
	return r.total+r.nodes >= r.offset && r.total+r.sure < r.offset+r.limit && r.size < r.room
}

// add adds a node. Its result is nil if it is not wanted.
func (r *results) add(by *match, result *Result) error {
	if by == nil && len(r.waiting) == 0 {
		r.take(entry{count: 1, result: result})
		return nil
	}
	r.nodes++
	if by == nil {
		r.sure++
	}
	if n := len(r.waiting); result == nil && n > 0 && r.waiting[n-1].result == nil && r.waiting[n-1].by == by {
		r.waiting[n-1].count++
		return nil
	}
	if result != nil {
		r.held += len(result.Value) + len(result.Path)
	}
	r.waiting = append(r.waiting, entry{by, 1, result})
	if len(r.waiting) > maxWaiting || r.held > 4*r.room {
		return ErrTree
	}
	return nil
}

// take takes nodes that are certain.
func (r *results) take(e entry) {
	if e.result != nil && r.total >= r.offset && r.total < r.offset+r.limit {
		r.list = append(r.list, e.result)
		r.size += len(e.result.Value)
	}
	r.total += e.count
}

// settle takes or drops the nodes that are certain now.
func (r *results) settle() {
	done := 0
	for _, e := range r.waiting {
		v := e.by.verdict()
		if v == unknown {
			break
		}
		r.leave(e)
		if v == yes {
			r.take(e)
		}
		done++
	}
	if done > 0 {
		r.waiting = append(r.waiting[:0], r.waiting[done:]...)
	}
	r.compress()
}

// leave counts an entry that no longer waits.
func (r *results) leave(e entry) {
	r.nodes -= e.count
	if e.by == nil {
		r.sure -= e.count
	}
	if e.result != nil {
		r.held -= len(e.result.Value) + len(e.result.Path)
	}
}

// compress drops entries at the end that do not hold, and joins those that are certain.
func (r *results) compress() {
	for n := len(r.waiting); n > 0; n = len(r.waiting) {
		last := &r.waiting[n-1]
		switch last.by.verdict() {
		case unknown:
			return
		case no:
			r.leave(*last)
			r.waiting = r.waiting[:n-1]
			continue
		case yes:
		}
		if last.by != nil {
			last.by = nil
			r.sure += last.count
		}
		if last.result != nil || n == 1 || !r.join(&r.waiting[n-2], *last) {
			return
		}
		r.waiting = r.waiting[:n-1]
	}
}

// join adds a certain run to the entry before it if that is a run that holds, too.
func (r *results) join(before *entry, run entry) bool {
	if before.result != nil {
		return false
	}
	switch before.by.verdict() {
	case no:
		r.leave(*before)
		*before = run
		return true
	case yes:
		if before.by != nil {
			before.by = nil
			r.sure += before.count
		}
		before.count += run.count
		return true
	case unknown:
	}
	return false
}
