package values

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/location"
)

// read reads bytes of the object from an offset on.
func (o Object) read(off uint64, p []byte) error {
	if o.err != nil {
		return o.err
	}
	off += o.offset
	if len(o.pieces) == 1 && o.pieces[0].Bits == 0 {
		return o.View.whole(&o.pieces[0], off, p)
	}
	return o.View.gather(o.pieces, off*8, p)
}

// whole reads from a piece that is the whole object.
func (w *View) whole(pc *location.Piece, off uint64, p []byte) error {
	if pc.Kind == location.InMemory {
		return w.Memory.ReadMemory(pc.Addr+off, p)
	}
	b, err := w.held(pc)
	if err != nil {
		return err
	}
	if off > uint64(len(b)) || uint64(len(p)) > uint64(len(b))-off {
		return ErrUnavailable
	}
	copy(p, b[off:])
	return nil
}

// held returns the bytes of a piece that is not in memory.
func (w *View) held(pc *location.Piece) ([]byte, error) {
	switch pc.Kind {
	case location.InRegister:
		if b := w.Registers.Bytes(pc.Reg); b != nil {
			return b, nil
		}
		return nil, ErrUnavailable
	case location.IsValue:
		b := make([]byte, 16)
		for i := range 8 {
			b[i] = byte(pc.Value >> (8 * i))
		}
		return b, nil
	case location.IsBytes:
		return pc.Data, nil
	}
	return nil, ErrOptimizedOut
}

// gather puts together bytes that are in several pieces.
func (w *View) gather(pieces []location.Piece, bit uint64, p []byte) error {
	end := bit + uint64(len(p))*8
	at := uint64(0)
	for i := range pieces {
		pc := &pieces[i]
		from, to := max(bit, at), min(end, at+pc.Bits)
		if from < to {
			if err := w.part(pc, from-at, to-at, p, from-bit); err != nil {
				return err
			}
		}
		at += pc.Bits
	}
	if at < end {
		return ErrOptimizedOut
	}
	return nil
}

// part copies the bits [from, to) of a piece to a bit of p.
func (w *View) part(pc *location.Piece, from, to uint64, p []byte, dst uint64) error {
	from, to = from+pc.BitOffset, to+pc.BitOffset
	var b []byte
	var err error
	if pc.Kind == location.InMemory {
		b = make([]byte, (to+7)/8)
		err = w.Memory.ReadMemory(pc.Addr, b)
	} else {
		b, err = w.held(pc)
	}
	if err != nil {
		return err
	}
	if to > uint64(len(b))*8 {
		return ErrUnavailable
	}
	for i := from; i < to; i++ {
		if b[i/8]&(1<<(i%8)) != 0 {
			p[dst/8] |= 1 << (dst % 8)
		}
		dst++
	}
	return nil
}

// ErrOptimizedOut means that the compiler kept no such value at this address.
var ErrOptimizedOut = errors.New("optimized out")

// ErrUnavailable means that the value is in a register or place that nobody
// saved.
var ErrUnavailable = location.ErrUnavailable
