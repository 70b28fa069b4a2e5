package recfile

// An eventList holds encoded events. The memory for them is taken before it is allocated.
type eventList struct {
	room   Room
	n      int
	pages  [][]entry
	chunks [][]byte
	zeros  [][]zeroRun
}

// An entry is an event of an eventList.
type entry struct {
	position          uint64
	chunk, start, end uint32 // its bytes
	zeros             uint32 // index of its runs of zeros, plus one
}

// Sizes of what an eventList allocates. A payload of chunkSize or more has a chunk of its own.
const (
	eventsPerPage = 1 << 10
	entrySize     = 24
	chunkSize     = 256 << 10
	sliceSize     = 24
)

// add adds the last payload of a reader.
func (l *eventList) add(position uint64, from *payloadReader) error {
	e := entry{position: position}
	if runs := from.whole.zeros; len(runs) > 0 {
		if err := l.room.Take(int64(len(runs)*zeroRunCost) + 2*sliceSize); err != nil {
			return err
		}
		l.zeros = append(l.zeros, append(make([]zeroRun, 0, len(runs)), runs...))
		e.zeros = uint32(len(l.zeros))
	}
	if len(from.whole.b) >= chunkSize {
		p, _ := from.detach() // the list has what was taken
		l.chunks = append(l.chunks, p.b)
		e.chunk, e.end = uint32(len(l.chunks)-1), uint32(len(p.b))
		return l.append(e)
	}
	b := from.whole.b
	if err := l.reserve(len(b)); err != nil {
		return err
	}
	e.chunk = uint32(len(l.chunks) - 1)
	last := &l.chunks[e.chunk]
	e.start = uint32(len(*last))
	*last = append(*last, b...)
	e.end = uint32(len(*last))
	return l.append(e)
}

// reserve makes sure that the last chunk has room for so many bytes.
func (l *eventList) reserve(size int) error {
	if n := len(l.chunks); n > 0 && cap(l.chunks[n-1])-len(l.chunks[n-1]) >= size {
		return nil
	}
	if err := l.room.Take(chunkSize + 2*sliceSize); err != nil {
		return err
	}
	l.chunks = append(l.chunks, make([]byte, 0, chunkSize))
	return nil
}

func (l *eventList) append(e entry) error {
	if l.n%eventsPerPage == 0 {
		if err := l.room.Take(eventsPerPage*entrySize + 2*sliceSize); err != nil {
			return err
		}
		l.pages = append(l.pages, make([]entry, 0, eventsPerPage))
	}
	page := &l.pages[l.n/eventsPerPage]
	*page = append(*page, e)
	l.n++
	return nil
}

// at returns an entry.
func (l *eventList) at(n int) *entry { return &l.pages[n/eventsPerPage][n%eventsPerPage] }

// payload returns the bytes of an event.
func (l *eventList) payload(n int) payload {
	e := l.at(n)
	p := payload{b: l.chunks[e.chunk][e.start:e.end]}
	if e.zeros > 0 {
		p.zeros = l.zeros[e.zeros-1]
	}
	return p
}

// kind returns the kind of an event, the first of its bytes.
func (l *eventList) kind(n int) Kind {
	d := newDecoder(l.payload(n), nil)
	return Kind(d.byte())
}

// SetRegisters replaces an event by a short one.
func (l *eventList) set(n int, position uint64, b []byte) {
	l.chunks = append(l.chunks, b)
	*l.at(n) = entry{position: position, chunk: uint32(len(l.chunks) - 1), end: uint32(len(b))}
}

// largest returns the size of the largest chunk.
func (l *eventList) largest() (size int) {
	for _, c := range l.chunks {
		size = max(size, cap(c))
	}
	return size
}

// unlimited is a room without a limit.
type unlimited struct{}

func (unlimited) Take(int64) error { return nil }
func (unlimited) Give(int64)       {}
