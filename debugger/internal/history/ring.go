package history

import (
	"errors"
	"sort"
)

// errTooLarge says that a record does not fit into the budget.
var errTooLarge = errors.New("a record is larger than the budget of the history")

// chunkSize is the number of bytes of records in a chunk, unless one record is
// larger.
const chunkSize = 1 << 18

// A ring keeps records, the oldest of which go when there is no room.
type ring struct {
	budget int
	bytes  int // held now, with what is allocated for more
	chunks []*chunk
	spare  *chunk // emptied, to be used again; not in bytes
}

// A chunk is a run of records in the order of their positions.
type chunk struct {
	first uint64 // position of the first record
	data  []byte
	ends  []uint32 // of each record in data
}

func (c *chunk) size() int { return cap(c.data) + 4*cap(c.ends) }

// record is the i-th.
func (c *chunk) record(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.data[start:c.ends[i]]
}

// clear forgets all records; the next one has the position at.
func (r *ring) clear(at uint64) {
	r.chunks, r.bytes = []*chunk{{first: at}}, 0
}

// oldest is the position of the first record, and end that behind the last.
func (r *ring) oldest() uint64 { return r.chunks[0].first }

func (r *ring) end() uint64 {
	last := r.chunks[len(r.chunks)-1]
	return last.first + uint64(len(last.ends))
}

// append keeps a copy of a record.
func (r *ring) append(record []byte) error {
	c := r.chunks[len(r.chunks)-1]
	if len(c.data)+len(record) > cap(c.data) || len(c.ends) == cap(c.ends) {
		var err error
		if c, err = r.grow(len(record)); err != nil {
			return err
		}
	}
	c.data = append(c.data, record...)
	c.ends = append(c.ends, uint32(len(c.data)))
	return nil
}

// recordGuess is about how long a record is; it only decides how much room for
// their ends a chunk has.
const recordGuess = 16

// grow makes room for a record of n bytes in a new chunk, the last.
func (r *ring) grow(n int) (*chunk, error) {
	size := min(max(n, chunkSize), max(n, r.budget/8))
	need := size + size/recordGuess*4 + 4
	if need > r.budget || uint64(size) > 1<<32-1 {
		return nil, errTooLarge
	}
	end := r.end()
	for r.bytes+need > r.budget {
		r.drop()
	}
	c := r.spare
	if r.spare = nil; c == nil || c.size() != need {
		c = &chunk{data: make([]byte, 0, size), ends: make([]uint32, 0, size/recordGuess+1)}
	}
	c.first, c.data, c.ends = end, c.data[:0], c.ends[:0]
	if len(r.chunks) == 1 && len(r.chunks[0].ends) == 0 {
		r.bytes -= r.chunks[0].size()
		r.chunks = r.chunks[:0]
	}
	r.chunks = append(r.chunks, c)
	r.bytes += c.size()
	return c, nil
}

// drop forgets the oldest chunk.
func (r *ring) drop() {
	c := r.chunks[0]
	end := c.first + uint64(len(c.ends))
	r.chunks[0] = nil
	if r.chunks = r.chunks[1:]; len(r.chunks) == 0 {
		r.chunks = []*chunk{{first: end}}
	}
	r.bytes -= c.size()
	r.spare = c
}

// truncate forgets the records from a position on, which must be there.
func (r *ring) truncate(position uint64) {
	for len(r.chunks) > 1 && r.chunks[len(r.chunks)-1].first >= position {
		last := len(r.chunks) - 1
		r.bytes -= r.chunks[last].size()
		r.chunks[last] = nil
		r.chunks = r.chunks[:last]
	}
	c := r.chunks[len(r.chunks)-1]
	n := int(position - c.first)
	if n >= len(c.ends) {
		return
	}
	size := uint32(0)
	if n > 0 {
		size = c.ends[n-1]
	}
	c.data, c.ends = c.data[:size], c.ends[:n]
}

// at returns the chunk with a position, which must be there, and its index in
// it.
func (r *ring) at(position uint64) (*chunk, int) {
	k := sort.Search(len(r.chunks), func(k int) bool { return r.chunks[k].first > position }) - 1
	c := r.chunks[k]
	return c, int(position - c.first)
}
