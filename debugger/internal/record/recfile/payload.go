package recfile

import (
	"bytes"
	"encoding/binary"
	"io"
)

// A payload is the payload of a block without its longer runs of zeros: programs have pages of
// zeros and read files of them.
type payload struct {
	b     []byte
	zeros []zeroRun // in order
}

// A zeroRun is a number of zeros.
type zeroRun struct {
	at int // the index in payload.b that they are before
	n  uint64
}

// Sizes of runs: of one there are whole cells.
const (
	zeroCell    = 512
	zeroRunCost = 16
)

// zeros has the contents of runs. Nothing writes to it.
var zeros [1 << 20]byte

// size returns the number of bytes with those that are left out.
func (p payload) size() uint64 {
	n := uint64(len(p.b))
	for _, z := range p.zeros {
		n += z.n
	}
	return n
}

// A Room takes and gives memory: a budget.Account.
type Room interface {
	Take(n int64) error
	Give(n int64)
}

// A payloadReader reads payloads into memory that it uses again.
type payloadReader struct {
	room  Room
	whole payload // the last one
	taken int64   // for whole
}

// firstPayload is the least size of a payloadReader's memory. More is taken with what has been
// read, so that a length that is wrong costs nothing.
const firstPayload = 64 << 10

// read reads a payload of n bytes. It is valid until the next call, or detach.
func (r *payloadReader) read(in io.Reader, n uint64) (payload, error) {
	p := &r.whole
	p.b, p.zeros = p.b[:0], p.zeros[:0]
	for n > 0 {
		part := min(n, firstPayload)
		if err := r.grow(len(p.b)+int(part), n); err != nil {
			return payload{}, err
		}
		b := p.b[len(p.b) : len(p.b)+int(part)]
		if _, err := io.ReadFull(in, b); err != nil {
			return payload{}, err
		}
		n -= part
		p.add(b)
	}
	return *p, nil
}

// add adds bytes that are behind p.b already, and leaves cells of zeros out.
func (p *payload) add(b []byte) {
	for len(b) > 0 {
		cell := b[:min(zeroCell, len(b))]
		b = b[len(cell):]
		switch last := len(p.zeros) - 1; {
		case len(cell) < zeroCell || !bytes.Equal(cell, zeros[:zeroCell]):
			p.b = append(p.b, cell...)
		case last >= 0 && p.zeros[last].at == len(p.b):
			p.zeros[last].n += zeroCell
		default:
			p.zeros = append(p.zeros, zeroRun{len(p.b), zeroCell})
		}
	}
}

// grow makes room for so many bytes, of which at most left follow those that are there.
func (r *payloadReader) grow(size int, left uint64) error {
	old := r.whole.b
	if size <= cap(old) {
		return nil
	}
	more := min(max(4*cap(old), size, firstPayload), len(old)+int(left))
	if err := r.room.Take(int64(more)); err != nil {
		return err
	}
	r.whole.b = append(make([]byte, 0, more), old...)
	r.room.Give(r.taken)
	r.taken = int64(more)
	return nil
}

// detach returns the memory of the last payload, which is not used again, and how much was
// taken for it.
func (r *payloadReader) detach() (payload, int64) {
	p, taken := r.whole, r.taken
	r.whole, r.taken = payload{}, 0
	return p, taken
}

// Release gives the memory of the reader back.
func (r *payloadReader) release() {
	_, taken := r.detach()
	r.room.Give(taken)
}

// take returns the next n bytes of what a decoder has. They are copied if there are zeros among
// them, which only small parts of a payload may have.
func (d *decoder) take(n uint64) []byte {
	if len(d.zeros) == 0 || n <= uint64(d.literal()) {
		if n > uint64(len(d.b)) {
			d.fail()
			return nil
		}
		b := d.b[:n:n]
		d.b = d.b[n:]
		return b
	}
	if n > MaxVector {
		d.fail()
		return nil
	}
	out := make([]byte, 0, n)
	for uint64(len(out)) < n && !d.bad {
		b := d.piece(n - uint64(len(out)))
		out = append(out, b...)
	}
	return out
}

// literal returns the number of bytes before the next run of zeros.
func (d *decoder) literal() int { return d.zeros[0].at - (d.size - len(d.b)) }

// piece returns the next bytes, at least one and at most n. Zeros are not copied.
func (d *decoder) piece(n uint64) []byte {
	if len(d.zeros) == 0 {
		return d.take(min(n, max(1, uint64(len(d.b)))))
	}
	if before := d.literal(); before > 0 {
		return d.take(min(n, uint64(before)))
	}
	z := &d.zeros[0]
	n = min(n, z.n, uint64(len(zeros)))
	d.hidden -= n
	if z.n -= n; z.n == 0 {
		d.zeros = d.zeros[1:]
	}
	return zeros[:n:n]
}

// next returns up to n of the next bytes without taking them.
func (d *decoder) next(n int) []byte {
	if len(d.zeros) == 0 || n <= d.literal() {
		return d.b[:min(n, len(d.b))]
	}
	ahead := *d
	ahead.zeros = []zeroRun{d.zeros[0]} // which is longer than what is returned
	ahead.hidden = d.zeros[0].n
	return ahead.take(min(uint64(n), ahead.left()))
}

// left returns how many bytes there are.
func (d *decoder) left() uint64 { return uint64(len(d.b)) + d.hidden }

// maxNumber is the size of the longest varint.
const maxNumber = binary.MaxVarintLen64
