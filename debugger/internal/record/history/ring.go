package history

import (
	"errors"
	"sort"
)

// errTooLarge is returned for a record that does not fit into the budget.
var errTooLarge = errors.New("a record is larger than the budget of the history: debugger/launch and debugger/attach set it with history_memory")

// chunkSize is the number of bytes of records in a chunk, unless one record is
// larger.
const chunkSize = 1 << 18

// A ring holds records in chunks. It drops the oldest chunk to make room.
type ring struct {
	budget int
	bytes  int // allocated for all chunks
	chunks []*chunk
	spare  *chunk // a dropped chunk for reuse; not counted in bytes
	room   Room   // that the chunks are taken from
}

// A chunk is a sequence of records with consecutive positions.
type chunk struct {
	first uint64 // position of the first record
	data  []byte
	ends  []uint32 // end of each record in data
}

func (c *chunk) size() int { return cap(c.data) + 4*cap(c.ends) }

// record returns the i-th record.
func (c *chunk) record(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.data[start:c.ends[i]]
}

// clear drops all records. The next one has the position at.
func (r *ring) clear(at uint64) {
	give(r.room, r.bytes)
	r.chunks, r.bytes = []*chunk{{first: at}}, 0
}

// oldest returns the position of the first record.
func (r *ring) oldest() uint64 { return r.chunks[0].first }

// end returns the position after the last record.
func (r *ring) end() uint64 {
	last := r.chunks[len(r.chunks)-1]
	return last.first + uint64(len(last.ends))
}

// append stores a copy of a record.
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

// recordGuess is a typical record size. It sets the capacity of chunk.ends.
const recordGuess = 16

// grow appends a chunk with room for a record of n bytes, and drops old chunks
// to stay within the budget.
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
	if err := take(r.room, need); err != nil {
		return nil, err
	}
	c := r.spare
	if r.spare = nil; c == nil || c.size() != need {
		c = &chunk{data: make([]byte, 0, size), ends: make([]uint32, 0, size/recordGuess+1)}
	}
	c.first, c.data, c.ends = end, c.data[:0], c.ends[:0]
	if len(r.chunks) == 1 && len(r.chunks[0].ends) == 0 {
		r.free(r.chunks[0])
		r.chunks = r.chunks[:0]
	}
	r.chunks = append(r.chunks, c)
	r.bytes += c.size()
	return c, nil
}

// drop removes the oldest chunk.
func (r *ring) drop() {
	c := r.chunks[0]
	end := c.first + uint64(len(c.ends))
	r.chunks[0] = nil
	if r.chunks = r.chunks[1:]; len(r.chunks) == 0 {
		r.chunks = []*chunk{{first: end}}
	}
	r.free(c)
	r.spare = c
}

// free takes the size of a chunk off that of all.
func (r *ring) free(c *chunk) {
	r.bytes -= c.size()
	give(r.room, c.size())
}

// truncate removes the records from a position on.
func (r *ring) truncate(position uint64) {
	for len(r.chunks) > 1 && r.chunks[len(r.chunks)-1].first >= position {
		last := len(r.chunks) - 1
		r.free(r.chunks[last])
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

// at returns the chunk that has the record at a position and its index in the
// chunk. The position must be recorded.
func (r *ring) at(position uint64) (*chunk, int) {
	k := sort.Search(len(r.chunks), func(k int) bool { return r.chunks[k].first > position }) - 1
	c := r.chunks[k]
	return c, int(position - c.first)
}
