package history

import (
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// A watched target can tell what was written, so that not all of its memory has
// to be read again.
type watched interface {
	Written() (proc.Written, error)
	Gather(ranges []ptrace.Range, b []byte) error
}

// An image is a copy of all memory that the process can write, as of the last
// look. It is in pieces, because most of what programs map they never use.
type image struct {
	pieces  map[uint64]*[pieceSize]byte // by number; missing ones are zero
	mapped  spanSet                     // what could be written
	present spanSet                     // where there was something; the rest of mapped is zero
	valid   bool                        // it is as the process was at the last look
	fresh   bool                        // nothing but records has changed memory since
	count   uint64                      // of the records then
}

// current says whether it is as memory is now, after so many records.
func (p *image) current(count uint64) bool { return p.valid && p.fresh && p.count == count }

const pieceSize = 1 << 16

// errNoImage says that something else has used up the copy between a snapshot
// and what it was for.
var errNoImage = errors.New("there is no copy of memory to compare with")

// look brings the image up to what a snapshot was told. Keep, unless it is nil, is called with what
// was there before for each piece that has changed. Without it, too much memory
// is an error.
func (r *Recorder) look(s *snapshot, keep func(addr uint64, old []byte)) error {
	p, w := &r.image, s.changes
	if keep != nil && !p.valid {
		return errNoImage
	}
	mapped := spanSet(w.Mapped).or(nil)
	present := mapped.minus(w.Absent)
	size := present.size()
	fits := size <= uint64(r.options.MaxSnapshot)
	if !fits && keep == nil {
		*p = image{}
		return tooMuch(size)
	}
	kept, fresh := p.changed(w, present)
	p.valid = false // until all is done
	if keep == nil {
		kept, fresh = nil, kept.or(fresh)
	}
	if err := r.take(s.watched, kept, keep); err != nil {
		return err
	}
	if !fits {
		*p = image{}
		return nil
	}
	if err := r.take(s.watched, fresh, nil); err != nil {
		return err
	}
	p.forget(p.present.minus(present))
	p.fresh = true
	p.mapped, p.present, p.valid, p.count = mapped, present, true, r.history.count
	return nil
}

// changed returns the memory that may differ from the image: in kept the memory
// that was mapped when the image was taken, in fresh other memory. Absent pages
// are zero, unless they had contents before.
func (p *image) changed(w *proc.Written, present spanSet) (kept, fresh spanSet) {
	if !p.valid {
		return nil, present
	}
	changed := spanSet(w.Pages).and(present.or(p.present)).or(p.present.minus(present))
	return changed.and(p.mapped), changed.minus(p.mapped)
}

func tooMuch(n uint64) error {
	return fmt.Errorf("%d MiB of memory are too many to be copied", n>>20)
}

// take reads ranges into the image.
func (r *Recorder) take(target watched, s spanSet, keep func(addr uint64, old []byte)) error {
	for _, batch := range batches(s) {
		r.part = grow(r.part, int(batch.size()))
		if err := target.Gather(batch, r.part); err != nil {
			return err
		}
		now := r.part
		for _, s := range batch {
			r.replace(s.Start, now[:s.Len()], keep)
			now = now[s.Len():]
		}
	}
	return nil
}

// replace replaces a range of the image. It writes no more than it must: the
// image is large, and little of it is in the processor's caches.
func (r *Recorder) replace(addr uint64, now []byte, keep func(addr uint64, old []byte)) {
	for len(now) > 0 {
		n := min(len(now), int(pieceSize-addr%pieceSize))
		old := r.image.piece(addr)[addr%pieceSize:][:n]
		if keep == nil {
			copy(old, now)
		} else {
			r.hideRseq(addr, old, now[:n])
			eachPage(addr, old, now[:n], func(at uint64, changed []byte) {
				keep(at, changed)
				copy(changed, now[at-addr:])
			})
		}
		addr, now = addr+uint64(n), now[n:]
	}
}

// batches divides ranges into what is read at once.
func batches(s spanSet) []spanSet {
	var all []spanSet
	var batch spanSet
	room := uint64(compareStep)
	for _, r := range s {
		for r.Len() > 0 {
			piece := ptrace.Range{Start: r.Start, End: r.Start + min(r.Len(), room)}
			batch, r.Start, room = append(batch, piece), piece.End, room-piece.Len()
			if room == 0 {
				all, batch, room = append(all, batch), nil, compareStep
			}
		}
	}
	if len(batch) > 0 {
		all = append(all, batch)
	}
	return all
}

// piece is the one with an address.
func (p *image) piece(addr uint64) *[pieceSize]byte {
	if p.pieces == nil {
		p.pieces = make(map[uint64]*[pieceSize]byte)
	}
	b := p.pieces[addr/pieceSize]
	if b == nil {
		b = new([pieceSize]byte)
		p.pieces[addr/pieceSize] = b
	}
	return b
}

// forget drops the pieces that have nothing any more. They are zero by now.
func (p *image) forget(gone spanSet) {
	for _, s := range gone {
		for at := (s.Start + pieceSize - 1) / pieceSize; (at+1)*pieceSize <= s.End; at++ {
			delete(p.pieces, at)
		}
	}
}
