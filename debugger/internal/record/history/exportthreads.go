package history

import "bytes"

// A threadTable is the table of threads of a binary trace. Each window of a long history has
// a table of its own, in which threads that ended before are missing: records of another
// window than that of the last position get other indexes.
type threadTable struct {
	count int         // threads of the window of the last position, which come first
	ended []thread    // others, as they were when they ended
	parts []tablePart // from the last position back
}

// A tablePart says what the records of a window refer to.
type tablePart struct {
	first uint64      // position of its first record
	index []int       // in the threadTable, by index in its own table
	begin map[int]int // in the threadTable, by id: of a thread that is alive where the window begins, not of a later one
}

// enter adds the window of the view, which is at the end of the window or at the last position.
func (t *threadTable) enter(h *History) {
	first := h.Steps.window.log.oldest()
	if n := len(t.parts); n > 0 && t.parts[n-1].first == first {
		return
	}
	p := tablePart{first: first, begin: make(map[int]int)}
	for n, thread := range h.view.threads {
		at := t.find(n, &thread)
		p.index = append(p.index, at)
		if _, known := p.begin[thread.id]; !known { // a later thread may have the id of one that has ended
			p.begin[thread.id] = at
		}
	}
	if len(t.parts) == 0 {
		t.count = len(p.index)
	}
	t.parts = append(t.parts, p)
}

// find returns the index of a thread that has a number in the table of the next window.
func (t *threadTable) find(n int, wanted *thread) int {
	if len(t.parts) == 0 {
		return n
	}
	if at, ok := t.parts[len(t.parts)-1].begin[wanted.id]; ok && wanted.alive {
		return at
	}
	ended := *wanted
	ended.alive, ended.vector = false, bytes.Clone(wanted.vector)
	t.ended = append(t.ended, ended)
	return t.count + len(t.ended) - 1
}

// renumber returns the record at a position, which must not be before those of former calls,
// with indexes in the table.
func (t *threadTable) renumber(record []byte, position uint64) []byte {
	last := len(t.parts) - 1
	for last > 0 && t.parts[last-1].first <= position {
		last--
	}
	if t.parts = t.parts[:last+1]; last == 0 {
		return record
	}
	return renumbered(record, t.parts[last].index)
}

// renumbered returns a record with other indexes of threads.
func renumbered(record []byte, index []int) []byte {
	d := decoder{b: record}
	h := d.head(len(index))
	rest := d.b
	d.skipToExtra(h)
	parts := rest[:len(rest)-len(d.b)]
	h.thread = index[h.thread]
	b := append(appendHead(make([]byte, 0, len(record)+8), h), parts...)
	if h.parts&partExtra == 0 {
		return b
	}
	var items []byte
	n := uint64(0)
	d.extras(func(tag byte, p *decoder) {
		switch tag {
		case extraThread, extraSwitch, extraOther:
			at := index[p.index(len(index))] // before p.b is read
			items = appendExtra(items, tag, append(appendNumber(nil, uint64(at)), p.b...))
		default:
			items = appendExtra(items, tag, p.b)
		}
		n++
	})
	return append(appendNumber(b, n), items...)
}
