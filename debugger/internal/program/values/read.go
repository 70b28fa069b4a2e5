package values

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
)

// read fills p with the bytes of the object from an offset on.
func (o Object) read(off uint64, p []byte) error {
	if o.err != nil {
		return o.err
	}
	off += o.offset
	if len(o.pieces) == 1 && o.pieces[0].Bits == 0 {
		return o.View.readWhole(&o.pieces[0], off, p)
	}
	return o.View.readPieces(o.pieces, off*8, p)
}

// readWhole reads from a piece that holds the whole object.
func (w *View) readWhole(pc *location.Piece, off uint64, p []byte) error {
	if pc.Kind == location.InMemory {
		return w.Memory.ReadMemory(pc.Addr+off, p)
	}
	b, err := w.pieceBytes(pc)
	if err != nil {
		return err
	}
	if off > uint64(len(b)) || uint64(len(p)) > uint64(len(b))-off {
		return ErrUnavailable
	}
	copy(p, b[off:])
	return nil
}

// pieceBytes returns the bytes of a piece that is not in memory.
func (w *View) pieceBytes(pc *location.Piece) ([]byte, error) {
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

// readPieces assembles bytes from several pieces.
func (w *View) readPieces(pieces []location.Piece, bit uint64, p []byte) error {
	end := bit + uint64(len(p))*8
	at := uint64(0)
	for i := range pieces {
		pc := &pieces[i]
		from, to := max(bit, at), min(end, at+pc.Bits)
		if from < to {
			if err := w.readPart(pc, from-at, to-at, p, from-bit); err != nil {
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

// readPart copies the bits [from, to) of a piece to a bit of p.
func (w *View) readPart(pc *location.Piece, from, to uint64, p []byte, dst uint64) error {
	from, to = from+pc.BitOffset, to+pc.BitOffset
	var b []byte
	var err error
	if pc.Kind == location.InMemory {
		b = make([]byte, (to+7)/8)
		err = w.Memory.ReadMemory(pc.Addr, b)
	} else {
		b, err = w.pieceBytes(pc)
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

// ErrOptimizedOut is returned for values that the compiler did not preserve at
// the current address.
var ErrOptimizedOut = errors.New("optimized out")

// ErrUnavailable is returned for values in registers or memory that were not
// saved.
var ErrUnavailable = location.ErrUnavailable
