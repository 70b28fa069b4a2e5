package memdiff

import (
	"errors"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A writeTracker is a target that reports which pages were written, so that only
// those have to be read again.
type writeTracker interface {
	Written() (proc.Written, error)
	Gather(ranges []ptrace.Range, b []byte) error
}

// An image is a copy of the writable memory of the process. It is sparse,
// because programs use little of what they map.
type image struct {
	pieces  map[uint64]*[pieceSize]byte // by number; missing ones are zero
	mapped  spanSet                     // writable memory
	present spanSet                     // the part of mapped with pages; the rest is zero
	valid   bool                        // the copy was complete when it was last refreshed
	fresh   bool                        // since then, memory was changed by recorded steps only
	count   uint64                      // of records when it was last refreshed
}

// current reports whether the image equals the memory of the process. The
// argument is the number of records now.
func (p *image) current(count uint64) bool { return p.valid && p.fresh && p.count == count }

const pieceSize = 1 << 16

// errNoImage is returned if the image was dropped between a snapshot and the
// comparison with it.
var errNoImage = errors.New("there is no copy of memory to compare with")

// refreshImage updates the image with the changes of a snapshot. It calls
// saveOld, unless nil, with the old contents of each piece that has changed.
// If saveOld is nil, memory above the limit is an error.
func (mc *Copies) refreshImage(s *Snapshot, saveOld func(addr uint64, old []byte)) error {
	p, w := &mc.image, s.changes
	if saveOld != nil && !p.valid {
		return errNoImage
	}
	mapped := spanSet(w.Mapped).or(nil)
	present := mapped.minus(w.Absent)
	size := present.size()
	fits := size <= uint64(mc.Most)
	if !fits && saveOld == nil {
		*p = image{}
		return tooMuch(size)
	}
	kept, fresh := p.changed(w, present)
	p.valid = false // until all is done
	if saveOld == nil {
		kept, fresh = nil, kept.or(fresh)
	}
	if err := mc.readRanges(s.writeTracker, kept, saveOld); err != nil {
		return err
	}
	if !fits {
		*p = image{}
		return nil
	}
	if err := mc.readRanges(s.writeTracker, fresh, nil); err != nil {
		return err
	}
	p.dropPieces(p.present.minus(present))
	p.fresh = true
	p.mapped, p.present, p.valid, p.count = mapped, present, true, mc.Count()
	return nil
}

// changed returns the memory that may differ from the image: in kept the part
// that was mapped when the image was refreshed, in fresh the rest. Absent pages
// are zero and left out, unless they had contents before.
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

// readRanges reads ranges into the image.
func (mc *Copies) readRanges(target writeTracker, s spanSet, saveOld func(addr uint64, old []byte)) error {
	for _, batch := range batches(s) {
		mc.part = slices.Grow(mc.part[:0], int(batch.size()))[:int(batch.size())]
		if err := target.Gather(batch, mc.part); err != nil {
			return err
		}
		now := mc.part
		for _, s := range batch {
			mc.replaceRange(s.Start, now[:s.Len()], saveOld)
			now = now[s.Len():]
		}
	}
	return nil
}

// replaceRange replaces a range of the image. It writes only pages that differ,
// because most of the image is not in the processor's caches.
func (mc *Copies) replaceRange(addr uint64, now []byte, saveOld func(addr uint64, old []byte)) {
	for len(now) > 0 {
		n := min(len(now), int(pieceSize-addr%pieceSize))
		old := mc.image.piece(addr)[addr%pieceSize:][:n]
		if saveOld == nil {
			copy(old, now)
		} else {
			mc.hideRseq(addr, old, now[:n])
			EachPage(addr, old, now[:n], func(at uint64, changed []byte) {
				saveOld(at, changed)
				copy(changed, now[at-addr:])
			})
		}
		addr, now = addr+uint64(n), now[n:]
	}
}

// batches divides ranges into batches of CompareStep bytes.
func batches(s spanSet) []spanSet {
	var all []spanSet
	var batch spanSet
	room := uint64(CompareStep)
	for _, r := range s {
		for r.Len() > 0 {
			piece := ptrace.Range{Start: r.Start, End: r.Start + min(r.Len(), room)}
			batch, r.Start, room = append(batch, piece), piece.End, room-piece.Len()
			if room == 0 {
				all, batch, room = append(all, batch), nil, CompareStep
			}
		}
	}
	if len(batch) > 0 {
		all = append(all, batch)
	}
	return all
}

// piece returns the piece with an address. It adds the piece if necessary.
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

// dropPieces drops the pieces that lie within ranges, which are zero by now.
func (p *image) dropPieces(removed spanSet) {
	for _, s := range removed {
		for at := (s.Start + pieceSize - 1) / pieceSize; (at+1)*pieceSize <= s.End; at++ {
			delete(p.pieces, at)
		}
	}
}
