package history

import (
	"context"
	"errors"
)

// A Line is a past of parts without gaps between them. Each question goes to the parts that it
// concerns, one after another.
type Line struct{ Parts []Part }

// Bounds implements [Past].
func (l *Line) Bounds() (first, last uint64) {
	if len(l.Parts) == 0 {
		return 0, 0
	}
	first, _ = l.Parts[0].Bounds()
	_, last = l.Parts[len(l.Parts)-1].Bounds()
	return first, last
}

// at returns the part with the record at a position, and the end of it. The last part has the
// last position.
func (l *Line) at(position uint64) (part Part, end uint64) {
	for _, part = range l.Parts {
		if _, end = part.Bounds(); position < end {
			break
		}
	}
	return part, end
}

// Window implements [Past].
func (l *Line) Window(ctx context.Context, position uint64) (*Records, error) {
	part, _ := l.at(position)
	return part.Window(ctx, position)
}

// Drop implements [Past].
func (l *Line) Drop(w *Records) {
	for _, part := range l.Parts {
		part.Drop(w)
	}
}

// Last implements [Past].
func (l *Line) Last(ctx context.Context, places *Places, from, to uint64) (position uint64, ok bool, err error) {
	for n := len(l.Parts) - 1; n >= 0 && !ok && err == nil; n-- {
		first, last := l.Parts[n].Bounds()
		if first, last = max(first, from), min(last, to); first < last {
			position, ok, err = l.Parts[n].Last(ctx, places, first, last)
		}
	}
	return position, ok, err
}

// First implements [Past].
func (l *Line) First(ctx context.Context, places *Places, from, to uint64) (position uint64, ok bool, err error) {
	for n := 0; n < len(l.Parts) && !ok && err == nil; n++ {
		first, last := l.Parts[n].Bounds()
		if first, last = max(first, from), min(last, to); first < last {
			position, ok, err = l.Parts[n].First(ctx, places, first, last)
		}
	}
	return position, ok, err
}

// Hits implements [Past], in the part that has the first position.
func (l *Line) Hits(ctx context.Context, code []uint64, from, to uint64, f func(Hit) bool) (reached uint64, err error) {
	part, end := l.at(from)
	return part.Hits(ctx, code, from, min(to, end), f)
}

// Visit implements [Past], as Hits does.
func (l *Line) Visit(ctx context.Context, code []uint64, from, to uint64, f func(Hit, *View) bool) (reached uint64, err error) {
	part, end := l.at(from)
	return part.Visit(ctx, code, from, min(to, end), f)
}

// Branches implements [Past], as Hits does.
func (l *Line) Branches(ctx context.Context, wanted Wanted, from, to uint64, f func(*Transition) bool) (reached uint64, err error) {
	part, end := l.at(from)
	return part.Branches(ctx, wanted, from, min(to, end), f)
}

// Accesses implements [Past], as Hits does.
func (l *Line) Accesses(ctx context.Context, from, to uint64, f func(*Access) bool) (reached uint64, err error) {
	part, end := l.at(from)
	return part.Accesses(ctx, from, min(to, end), f)
}

// Inputs implements [Past].
func (l *Line) Inputs(ctx context.Context, from, to uint64, f func(position uint64, in Input)) error {
	for _, part := range l.Parts {
		first, last := part.Bounds()
		if first, last = max(first, from), min(last, to); first >= last {
			continue
		}
		if err := part.Inputs(ctx, first, last, f); err != nil {
			return err
		}
	}
	return nil
}

// Bytes implements [Part].
func (l *Line) Bytes() (bytes int) {
	for _, part := range l.Parts {
		bytes += part.Bytes()
	}
	return bytes
}

// CheckCut implements [Part]. A line can end between two parts.
func (l *Line) CheckCut(position uint64) error {
	if first, _ := l.Bounds(); position == first {
		return nil
	}
	part, last := l.at(position - 1)
	if position == last {
		return nil
	}
	return part.CheckCut(position)
}

// Cut implements [Part].
func (l *Line) Cut(position uint64) {
	n := 0
	for ; n < len(l.Parts); n++ {
		if first, _ := l.Parts[n].Bounds(); first >= position {
			break
		}
	}
	for _, later := range l.Parts[n:] {
		_ = later.Close() // its processes end with this one otherwise
	}
	if l.Parts = l.Parts[:n]; n > 0 {
		l.Parts[n-1].Cut(position)
	}
}

// Close implements [Part].
func (l *Line) Close() error {
	var err error
	for _, part := range l.Parts {
		err = errors.Join(err, part.Close())
	}
	l.Parts = nil
	return err
}
